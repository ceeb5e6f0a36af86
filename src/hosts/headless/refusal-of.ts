import { isOnRecord, type Receipt, receiptRefusal } from '../../core/deciding/receipt.ts'
import { RefusedError } from '../../core/errors.ts'
import { alreadyDecided } from '../../core/hold/already-decided.ts'

/** Of a batch that was not recorded: the first reason. */
export function refusalOf(receipts: readonly Receipt[]): RefusedError {
  for (const receipt of receipts) {
    if (!isOnRecord(receipt)) return receiptRefusal(receipt)
    if (receipt.outcome === 'duplicate') return alreadyDecided(receipt.hold.id, receipt.decision)
  }
  return new RefusedError('not_recorded', 'The decisions were not recorded, so nothing was run.')
}
