import type { JournalEvent } from '../../core/journal/event.ts'
import type { Ephemeral } from '../../ports/event-sink.ts'

/**
 * Limits of the ephemeral events, and the characters in them, that wait for a slow follower; older ones are dropped.
 */
const MOST_EPHEMERAL = 1_000
const MOST_CHARACTERS = 256 * 1024

/** Before one of these events, the journal has the whole of what was streamed in pieces. */
const SETTLING: ReadonlySet<string> = new Set<JournalEvent['kind']>([
  'model.answered',
  'call.finished',
  'step.ended',
  'run.finished',
])

/** The ephemeral events that one follower has not seen yet, and its alarm. */
export class FollowerInbox {
  #ephemeral: Ephemeral[] = []
  #characters = 0
  #news = Promise.withResolvers<void>()
  #settled = 0
  /** The last `seq` that the follower has. */
  seq: number
  /** Set when the follower must read the journal itself: it is far behind, or the feed met an error. */
  reads = true

  constructor(seq: number) {
    this.seq = seq
  }

  put(event: Ephemeral): void {
    this.#ephemeral.push(event)
    this.#characters += charactersIn(event)
    while (this.#ephemeral.length > MOST_EPHEMERAL || this.#characters > MOST_CHARACTERS)
      this.#characters -= charactersIn(this.#ephemeral.shift() ?? event)
    this.wake()
  }

  wake(): void {
    this.#news.resolve()
  }

  /** Resolves at the next news from here on. */
  next(): Promise<void> {
    this.#news = Promise.withResolvers()
    return this.#news.promise
  }

  /**
   * These durable events, each followed by the ephemeral ones that happened after it. Pieces that come late, after the
   * event that has the whole of them, are dropped.
   */
  inOrder(page: readonly JournalEvent[]): (JournalEvent | Ephemeral)[] {
    this.seq = page.at(-1)?.seq ?? this.seq
    const settled = this.#settled
    const ephemeral = this.#takeUntil(this.seq).filter(({ after }) => after >= settled)
    this.#settled = page.findLast(({ kind }) => SETTLING.has(kind))?.seq ?? settled
    return [...page, ...ephemeral].toSorted((a, b) => placeOf(a) - placeOf(b))
  }

  #takeUntil(seq: number): Ephemeral[] {
    const later = this.#ephemeral.findIndex(({ after }) => after > seq)
    const taken = this.#ephemeral.splice(0, later < 0 ? this.#ephemeral.length : later)
    this.#characters -= taken.reduce((sum, event) => sum + charactersIn(event), 0)
    return taken
  }
}

function charactersIn({ data }: Ephemeral): number {
  return 'delta' in data ? data.delta.length : 0
}

/** Sorting keeps the order of those that happened after the same event. */
function placeOf(event: JournalEvent | Ephemeral): number {
  return 'seq' in event ? event.seq : event.after + 0.5
}
