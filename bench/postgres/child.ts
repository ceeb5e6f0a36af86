import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'

/** A process that answers each message with one, in their order. */
export class Child implements AsyncDisposable {
  readonly #process: ChildProcess
  readonly #waiting: ((answer: unknown) => void)[] = []
  readonly #answers: unknown[] = []

  private constructor(process: ChildProcess) {
    this.#process = process
    process.on('message', answer => {
      const next = this.#waiting.shift()
      if (next) next(answer)
      else this.#answers.push(answer)
    })
  }

  /** Resolves with its first message. */
  static async start(file: string, ...args: string[]): Promise<Child> {
    const child = new Child(
      fork(join(import.meta.dirname, file), args, {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        execArgv: ['--no-deprecation'],
      }),
    )
    await child.next()
    return child
  }

  say(message: string | number | readonly [string, number]): void {
    this.#process.send(message)
  }

  async next(): Promise<unknown> {
    if (this.#answers.length > 0) return this.#answers.shift()
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#waiting.push(resolve)
    const failed = (code: number | null) => reject(new Error(`a process of the benchmark ended with ${code}`))
    this.#process.once('exit', failed)
    return promise.finally(() => this.#process.off('exit', failed))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise(resolve => this.#process.once('exit', resolve))
    this.#process.kill('SIGKILL')
    await ended
  }
}

/** Milliseconds since 1970, with fractions: the same clock in all processes of a machine. */
export function now(): number {
  return performance.timeOrigin + performance.now()
}
