import { isEachOnRecord, type Receipt } from '../core/deciding/receipt.ts'

/** Carries receipts out of a transaction that they undo. */
class NotAllRecorded extends Error {
  readonly receipts: readonly Receipt[]

  constructor(receipts: readonly Receipt[]) {
    super('not all decisions were recorded')
    this.receipts = receipts
  }
}

/** Inside a transaction under `orReceipts`: undoes it unless each decision is on record. */
export function requireAll(receipts: readonly Receipt[]): void {
  if (!isEachOnRecord(receipts)) throw new NotAllRecorded(receipts)
}

/** The result of the transaction; if `requireAll` undid it, `undone` of the receipts. */
export async function orReceipts<T>(
  transaction: () => Promise<T>,
  undone: (receipts: readonly Receipt[]) => T,
): Promise<T> {
  try {
    return await transaction()
  } catch (thrown) {
    if (thrown instanceof NotAllRecorded) return undone(thrown.receipts)
    throw thrown
  }
}
