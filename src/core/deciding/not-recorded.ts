import { messageOf, RefusedError } from '../errors.ts'
import { isUnknown } from '../store-write.ts'
import type { Receipt } from './receipt.ts'

/**
 * The receipt of one of several decisions that the store, or the journal of its run, failed on. The other decisions
 * keep their own receipts.
 */
export function notRecorded(holdId: string, thrown: unknown): Receipt {
  const meaning = isUnknown(thrown) ? 'Whether it was written is unknown.' : 'Nothing of it was written.'
  const message = `The decision on the hold ${holdId} failed: ${messageOf(thrown)} ${meaning}`
  const error = new RefusedError('decision_failed', message, {
    hint: 'Decide it again when the cause is gone. A decision with the same decision_id counts once.',
    cause: thrown,
  })
  return { outcome: 'refused', hold: null, error }
}
