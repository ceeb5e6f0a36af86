import type { JournalEvent } from '../../core/journal/event.ts'
import type { Ephemeral, EventSink } from '../../ports/event-sink.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { ThreadFeed } from './thread-feed.ts'

/**
 * The sink of `runtime`, and the followers after it. Ephemeral events reach the followers of this process through
 * `feed`, and those of other processes through the live channel. Durable ones reach them from the journal.
 */
export function followersToo({ tell, live }: Runtime, feed: ThreadFeed): EventSink {
  const numbering = new PieceNumbering()
  return event => {
    tell(event)
    if ('ephemeral' in event) {
      const piece = numbering.number(event)
      feed.publish(piece)
      return live?.publish(piece)
    }
    numbering.settle(event)
    // The checkpoint before an inference is a durable event, so the first piece finds the channel ready.
    live?.expect()
  }
}

const OF_MODEL = /^(text|reasoning|tool_input)\./

/** Counts the pieces of the answer under way, for each run. */
class PieceNumbering {
  readonly #told = new Map<string, number>()

  number(event: Ephemeral): Ephemeral {
    const { kind, run_id } = event
    if (kind === 'inference.void') this.#told.delete(run_id)
    if (!OF_MODEL.test(kind)) return event
    const index = this.#told.get(run_id) ?? 0
    this.#told.set(run_id, index + 1)
    return { ...event, index }
  }

  /** The answer is in the journal, so the next piece is of another one. */
  settle({ kind, run_id }: JournalEvent): void {
    if (kind === 'model.answered' || kind === 'run.finished') this.#told.delete(run_id)
  }
}
