import { aborted } from '../../async/on-abort.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { Stops } from '../foreign/reach-foreign.ts'
import { CancelledError, InterruptedError, type RunSignals } from './run-signals.ts'

/** The parts of the session that it needs. */
interface Listening {
  readonly runtime: Pick<Runtime, 'clock'>
  readonly signals: RunSignals
  readonly durableSeq: number
  peek(seq: number): Promise<readonly JournalEvent[]>
}

/** How soon a read that failed is made again, in milliseconds. */
const AGAIN_MS = 1_000

/**
 * Listens for stops that others write while code of plugins and tools is awaited. A read that fails harms no answer of
 * that code. Events may be staged: what is heard here is applied later.
 */
export class HeardStops implements Stops {
  readonly #session: Listening
  #listeners = 0
  #over = new AbortController()

  constructor(session: Listening) {
    this.#session = session
  }

  get isStopped(): boolean {
    return this.#session.signals.isStopped
  }

  throwIfStopped(): void {
    this.#session.signals.throwIfStopped()
  }

  listen(tell: () => void): Disposable {
    const { signals } = this.#session
    const stopped = signals.onStop(tell)
    if (signals.isStopped) tell()
    this.#listeners += 1
    if (this.#listeners === 1) this.#begin()
    return {
      [Symbol.dispose]: () => {
        stopped[Symbol.dispose]()
        this.#listeners -= 1
        if (this.#listeners === 0) this.#over.abort()
      },
    }
  }

  #begin(): void {
    this.#over = new AbortController()
    // The promise never rejects.
    void this.#hear(this.#over.signal)
  }

  async #hear(over: AbortSignal): Promise<void> {
    const { signals, durableSeq } = this.#session
    const ended = aborted(over).then(() => false)
    let seq = durableSeq
    while ((await Promise.race([ended, signals.newsBeyond(seq)])) && !over.aborted) {
      seq = await this.#heardBeyond(seq, over)
      // Later waits for news have a signal of their own.
      if (over.aborted) return
    }
  }

  async #heardBeyond(seq: number, over: AbortSignal): Promise<number> {
    const { runtime, signals } = this.#session
    try {
      const events = await this.#session.peek(seq)
      const reason = events.map(reasonIn).find(error => error !== null)
      if (reason && !over.aborted) signals.stop(reason)
      return events.at(-1)?.seq ?? seq
    } catch {
      // The owner of this fault is the store, and the run meets it at its next write.
      await runtime.clock.sleep(AGAIN_MS, over).catch(() => {})
      return seq
    }
  }
}

function reasonIn({ kind, data }: JournalEvent): Error | null {
  if (kind === 'cancel.requested') return new CancelledError(data.by)
  if (kind === 'hold.expired' && data.ends_run) return new CancelledError(data.decision.decided_by)
  return kind === 'message.queued' && data.interrupt ? new InterruptedError() : null
}
