import type { Choice } from '../api/decisions.ts'
import type { DecisionVerdict, HoldView } from '../api/documents.ts'
import type { Deciding } from './use-decision.ts'
import type { Editing } from './use-editing.ts'

/** What is in front of the buttons: nothing, a reason to be given, or an answer. */
export type Panel = 'reject' | 'answer' | null

export type DialogName = 'always' | 'assign' | 'cancel'

/** What each part of the bar works with. */
export interface Bar {
  readonly hold: HoldView
  readonly deciding: Deciding
  readonly editing: Editing
  readonly panel: Panel
  /** True while no answer of the server can be had. */
  readonly isWaiting: boolean
  may(verdict: DecisionVerdict): boolean
  show(panel: Panel): void
  open(dialog: DialogName): void
  /** Asks once more first, if that is due. */
  choose(choice: Choice): void
}
