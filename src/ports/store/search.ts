import type { EventKind } from '../../core/journal/event.ts'
import type { FoundText } from '../../core/search/found-text.ts'

/** Chooses events by words in messages, questions, answers or results. */
export interface SearchQuery {
  readonly words: string
  /** Default: 20. */
  readonly limit?: number
  /** The `next` of the page before this one. */
  readonly after?: string
}

/** An event that has the words. */
export interface FoundEvent extends FoundText {
  readonly thread_id: string
  readonly run_id: string
  readonly seq: number
  /** ISO time. */
  readonly at: string
  readonly kind: EventKind
}

/** A part of what was found. */
export interface SearchPage {
  /** The newest threads first, and of a thread the newest events. */
  readonly found: readonly FoundEvent[]
  /**
   * The cursor of the next page; `null` if all was searched. A page may end before it is full: each reads a bounded
   * part.
   */
  readonly next: string | null
}

/** Looks through the journals. */
export interface SearchStore {
  /** Letters beyond ASCII must have the case that they were written in. It holds up no writer. */
  search(query: SearchQuery): Promise<SearchPage>
}
