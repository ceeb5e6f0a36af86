import type { RefusedError } from '../errors.ts'
import type { Decision } from '../hold/decision.ts'
import type { Hold } from '../hold/hold.ts'

/** A decision that may be recorded as it is, and the hold that it is about. */
export type ReadyDecision = Decision & { readonly hold_id: string }

/**
 * The outcome of one decision. `duplicate` is the success of an earlier submission of the same decision. If several people
 * must approve, the hold is still `open` after each approval but the last.
 */
export type Receipt =
  | { readonly outcome: 'recorded' | 'duplicate'; readonly hold: Hold; readonly decision: Decision }
  | { readonly outcome: 'already_decided'; readonly hold: Hold; readonly winner: Decision }
  | { readonly outcome: 'refused'; readonly hold: Hold | null; readonly error: RefusedError }

/** All or none: true if each decision is on record, now or from before. */
export function isEachOnRecord(receipts: readonly Receipt[]): boolean {
  return receipts.every(({ outcome }) => outcome === 'recorded' || outcome === 'duplicate')
}
