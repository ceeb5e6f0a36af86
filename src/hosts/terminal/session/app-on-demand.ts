import type { JournalEvent } from '../../../core/journal/event.ts'
import type { App } from '../../compose/compose.ts'

/** A store that is opened at the first need of it: a person who begins a session and says nothing leaves none behind. */
export class AppOnDemand implements AsyncDisposable {
  readonly #open: () => Promise<App>
  #app: Promise<App> | null = null

  constructor(open: () => Promise<App>) {
    this.#open = open
  }

  get isOpen(): boolean {
    return this.#app !== null
  }

  /** One and the same. @throws RefusedError or StoreError; the next call tries anew. */
  open(): Promise<App> {
    this.#app ??= this.#open().catch(thrown => {
      this.#app = null
      throw thrown
    })
    return this.#app
  }

  /** The events of a session; none if nothing is stored yet. */
  async journal(sessionId: string): Promise<readonly JournalEvent[]> {
    return this.isOpen ? (await this.open()).holdpoint.journal(sessionId) : []
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#app)?.[Symbol.asyncDispose]()
  }
}
