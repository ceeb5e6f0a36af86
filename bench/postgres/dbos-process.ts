import { Child } from './child.ts'

/** DBOS in a process of its own: steps, and workflows that wait for a message. */
export class DbosProcess implements AsyncDisposable {
  readonly #child: Child

  private constructor(child: Child) {
    this.#child = child
  }

  static async start(url: string): Promise<DbosProcess> {
    return new DbosProcess(await Child.start('dbos-child.ts', url))
  }

  /** Milliseconds of one of so many pairs of steps. */
  async stepMs(steps: number): Promise<number> {
    this.#child.say(['steps', steps])
    return Number(await this.#child.next())
  }

  /** A workflow that waits. */
  async wait(id: number): Promise<void> {
    this.#child.say(['wait', id])
    await this.#child.next()
  }

  /** When a waiting workflow went on. */
  async wentOn(): Promise<number> {
    return Number(await this.#child.next())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]()
  }
}
