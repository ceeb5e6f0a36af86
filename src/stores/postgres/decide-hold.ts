import { isOver } from '../../core/advancing/run-standing.ts'
import { applyDecision } from '../../core/deciding/apply-decision.ts'
import type { ReadyDecision, Receipt } from '../../core/deciding/receipt.ts'
import { unknownHold } from '../../core/hold/unknown-hold.ts'
import type { JournalTransaction } from './journal/journal-transaction.ts'
import { insertGrant } from './tables/grant-table.ts'
import { findHold, threadsOfHolds, updateDecision } from './tables/hold-table.ts'
import { findRun } from './tables/run-table.ts'

/** P2: each hold is decided once. The threads are locked first, so that each decision sees the one before it. */
export async function decideHolds(
  transaction: JournalTransaction,
  decisions: readonly ReadyDecision[],
): Promise<Receipt[]> {
  if (decisions.length === 0) return []
  const ids = decisions.map(({ hold_id }) => hold_id)
  await transaction.lockAll(await threadsOfHolds(transaction.query, ids))
  const receipts: Receipt[] = []
  for (const decision of decisions) receipts.push(await decideHold(transaction, decision))
  return receipts
}

async function decideHold(transaction: JournalTransaction, { hold_id, ...decision }: ReadyDecision): Promise<Receipt> {
  const { query, now } = transaction
  const hold = await findHold(query, hold_id)
  if (hold === null) return { outcome: 'refused', hold, error: unknownHold(hold_id) }
  const run = await findRun(query, hold.run_id)
  const context = { now, isRunOver: run !== null && isOver(run), exported: run?.exported ?? null }
  const { receipt, write } = applyDecision(hold, decision, context)
  if (write) {
    updateDecision(query, write.hold)
    const grant = write.hold.decision?.grant
    if (grant) await insertGrant(query, grant)
    await transaction.writeOfHold(write.hold, [write.event])
  }
  return receipt
}
