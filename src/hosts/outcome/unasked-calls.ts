import type { JournalEvent } from '../../core/journal/event.ts'
import { passedOver } from '../../core/policy/asked-nobody.ts'
import type { Ephemeral } from '../../ports/event-sink.ts'

/** Something that a person should know of a run, and that changes nothing. */
export interface OutcomeWarning {
  readonly code: string
  readonly message: string
  readonly hint: string
}

/** The rules by which a person would have been asked, if the run paused for approval. */
export class UnaskedCalls {
  readonly #rules = new Set<string>()

  /** The warning, if this is the first such call. */
  hear(event: JournalEvent | Ephemeral): OutcomeWarning | null {
    const rule = event.kind === 'call.gated' ? passedOver(event.data.rule) : null
    if (rule === null) return null
    const isFirst = this.#rules.size === 0
    this.#rules.add(rule)
    return isFirst ? this.#warning() : null
  }

  warnings(): { readonly warnings?: readonly OutcomeWarning[] } {
    return this.#rules.size === 0 ? {} : { warnings: [this.#warning()] }
  }

  #warning(): OutcomeWarning {
    return {
      code: 'nobody_asked',
      message: `Nobody was asked about ${[...this.#rules].join(', ')}: this run does not pause for approval.`,
      hint: 'To be asked, start it with --pause-on approval, or set pause_on in .holdpoint/config.json.',
    }
  }
}
