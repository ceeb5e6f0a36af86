import type { Choice } from '../api/decisions.ts'
import type { DecisionVerdict, HoldView } from '../api/documents.ts'
import type { Deciding } from './use-decision.ts'
import type { Editing } from './use-editing.ts'

/** The panel above the buttons: none, a reason to be given, or an answer. */
export type Panel = 'reject' | 'answer' | null

export type DialogName = 'always' | 'assign' | 'cancel'

/** The state that the parts of the bar share. */
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

/** Approves with the changes that the form has, if they are whole. */
export function sendEdited({ editing, isWaiting, choose }: Bar): void {
  if (!editing.isFaulty && !isWaiting) choose({ verdict: 'edit', arguments: editing.value })
}
