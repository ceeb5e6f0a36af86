/**
 * Listeners for growth of journals and changes of tasks.
 * W1  A writer is harmed by no listener: one that throws is warned of, and the others are called all the same.
 * W2  Nothing is watched outside while there is no listener.
 */
import type { Growth } from '../../../ports/store/journal.ts'
import { done, type Work } from './work.ts'

/** With `null` anything may have changed. */
type Change = Growth | 'tasks' | 'records' | null

/** Watches for writes of other processes. */
export type WatchOutside = (onChange: () => void) => Disposable

export class ChangeWatch implements Disposable {
  readonly #watchOutside: WatchOutside | null
  readonly #listeners = new Set<{ readonly call: (change: Change) => void }>()
  #outside: Disposable | null = null

  /** @param watchOutside `null` if no other process can write to the store. */
  constructor(watchOutside: WatchOutside | null) {
    this.#watchOutside = watchOutside
  }

  /** Calls back, never during a transaction, until it is disposed of or the store is. */
  watch(onChange: (change: Growth | null) => void): Disposable {
    return this.#listen(change => typeof change !== 'string' && onChange(change))
  }

  /** Like `watch`, for changes of tasks alone. */
  watchTasks(onChange: () => void): Disposable {
    return this.#listen(change => (change === 'tasks' || change === null) && onChange())
  }

  /** Calls back after each commit of which anything may have gone on record. */
  watchAll(onChange: () => void): Disposable {
    return this.#listen(() => onChange())
  }

  #listen(call: (change: Change) => void): Disposable {
    this.#outside ??= this.#watchOutside?.(() => this.#tell(null)) ?? null
    // An object of its own, so that a function may be given twice.
    const listener = { call }
    this.#listeners.add(listener)
    return {
      [Symbol.dispose]: () => {
        if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#closeOutside()
      },
    }
  }

  /** After a commit: this journal grew; with `null` any may have. */
  tell(change: Growth | null): void {
    this.#tell(change)
  }

  /** Inside a transaction that others are to hear of when it commits. */
  noticeIn(): Work<void> {
    return done(undefined)
  }

  /** After a commit with a notice in it. */
  tellHere(change: Growth): void {
    this.#tell(change)
  }

  /** After a commit: tasks changed. */
  tellOfTasks(): void {
    this.#tell('tasks')
  }

  /** After a commit that only put something on record. */
  tellOfRecords(): void {
    this.#tell('records')
  }

  #tell(change: Change): void {
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
