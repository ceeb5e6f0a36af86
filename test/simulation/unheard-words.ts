import type { JournalEvent } from '../../src/core/journal/event.ts'

/** What people said that stops the calls of a run, and that its owner has not followed yet. Read off a journal as it grows. */
export class UnheardWords {
  /** Of each message that waits, whether it takes the place of calls. */
  readonly #waiting: boolean[] = []
  #isCancelled = false
  /** Claims that stand behind such a word. */
  readonly #late = new Set<number>()

  take(event: JournalEvent): void {
    if (event.kind === 'run.started') this.#isCancelled = false
    if (event.kind === 'message.queued') this.#waiting.push(event.data.supersede || event.data.interrupt === true)
    if (event.kind === 'message.delivered') this.#waiting.splice(0, event.data.count)
    if (event.kind === 'cancel.requested' || (event.kind === 'hold.expired' && event.data.ends_run))
      this.#isCancelled = true
    const stops = this.#isCancelled || this.#waiting.includes(true)
    if (event.kind === 'call.started' && stops) this.#late.add(event.seq)
  }

  isBehind(seq: number): boolean {
    return this.#late.has(seq)
  }
}
