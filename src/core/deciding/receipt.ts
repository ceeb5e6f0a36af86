import type { RefusedError } from '../errors.ts'
import { alreadyDecided } from '../hold/already-decided.ts'
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

export type RecordedReceipt = Extract<Receipt, { readonly outcome: 'recorded' | 'duplicate' }>
export type UnrecordedReceipt = Exclude<Receipt, RecordedReceipt>

/** True if the decision is on record, now or from before. */
export function isOnRecord(receipt: Receipt): receipt is RecordedReceipt {
  return receipt.outcome === 'recorded' || receipt.outcome === 'duplicate'
}

/** All or none: true if each decision is on record. */
export function isEachOnRecord(receipts: readonly Receipt[]): boolean {
  return receipts.every(isOnRecord)
}

/** Why this decision is not the one that counts; `null` if it is on record. */
export function receiptRefusal(receipt: UnrecordedReceipt): RefusedError
export function receiptRefusal(receipt: Receipt): RefusedError | null
export function receiptRefusal(receipt: Receipt): RefusedError | null {
  if (receipt.outcome === 'refused') return receipt.error
  return receipt.outcome === 'already_decided' ? alreadyDecided(receipt.hold.id, receipt.winner) : null
}
