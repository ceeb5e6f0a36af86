/**
 * Who wants to know when journals grow.
 * W1  A writer is harmed by no listener: one that throws is warned of, and the others are called all the same.
 * W2  Nothing is watched outside while nobody listens.
 */
import type { Growth } from '../../ports/store.ts'
import type { Database } from './database.ts'
import { OutsideWatch } from './outside-watch.ts'

type Listener = (change: Growth | null) => void

export class ChangeWatch implements Disposable {
  readonly #database: Database
  readonly #listeners = new Set<{ readonly call: Listener }>()
  #outside: Disposable | null = null

  constructor(database: Database) {
    this.#database = database
  }

  /** Calls back, never during a transaction, until it is disposed of or the store is. */
  watch(onChange: Listener): Disposable {
    if (this.#database.path !== ':memory:') this.#outside ??= new OutsideWatch(this.#database, () => this.tell(null))
    // An object of its own, so that a function may be given twice.
    const listener = { call: onChange }
    this.#listeners.add(listener)
    return {
      [Symbol.dispose]: () => {
        if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#closeOutside()
      },
    }
  }

  /** After a commit: this journal grew; with `null` any may have. */
  tell(change: Growth | null): void {
    for (const { call } of this.#listeners) {
      try {
        call(change)
      } catch (thrown) {
        process.emitWarning(thrown instanceof Error ? thrown : String(thrown))
      }
    }
  }

  [Symbol.dispose](): void {
    this.#listeners.clear()
    this.#closeOutside()
  }

  #closeOutside(): void {
    this.#outside?.[Symbol.dispose]()
    this.#outside = null
  }
}
