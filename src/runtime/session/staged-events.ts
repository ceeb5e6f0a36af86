import type { NewHold } from '../../core/hold/hold.ts'
import type { PlainEvent } from '../../core/journal/event.ts'
import type { Plain } from '../../core/plain/plain.ts'

/** Events and the rows of the holds that they open: written together or not at all. */
interface Draft {
  readonly events: PlainEvent[]
  readonly opens: Plain<NewHold>[]
}

/**
 * The events that wait for a flush, in two drafts.
 * I5  Events that hold only while no other process has written are staged after `beginRest`. If another process has
 *     written, they never happened.
 */
export class StagedEvents {
  #working: Draft = emptyDraft()
  #resting: Draft | null = null

  /** The draft that takes the next event. */
  get draft(): Draft {
    return this.#resting ?? this.#working
  }

  get hasRest(): boolean {
    return this.#resting !== null
  }

  get isEmpty(): boolean {
    return this.#resting === null && this.#working.events.length === 0
  }

  beginRest(): void {
    this.#resting ??= emptyDraft()
  }

  takeWorking(): Draft {
    const taken = this.#working
    this.#working = emptyDraft()
    return taken
  }

  takeRest(): Draft {
    const taken = this.#resting ?? emptyDraft()
    this.#resting = null
    return taken
  }
}

function emptyDraft(): Draft {
  return { events: [], opens: [] }
}
