import { isOver } from '../../../core/advancing/run-standing.ts'
import { applyDecision } from '../../../core/deciding/apply-decision.ts'
import type { ReadyDecision, Receipt } from '../../../core/deciding/receipt.ts'
import { unknownHold } from '../../../core/deciding/unknown-hold.ts'
import type { Work } from '../driver/work.ts'
import { insertGrant } from '../tables/grant-table.ts'
import { findHold, threadsOfHolds, updateDecision } from '../tables/hold-table.ts'
import { findRun } from '../tables/run-table.ts'
import type { JournalTransaction } from './journal-transaction.ts'

/** P2: each hold is decided once. The threads are locked first, so that each decision sees the one before it. */
export function* decideHolds(journal: JournalTransaction, decisions: readonly ReadyDecision[]): Work<Receipt[]> {
  if (decisions.length === 0) return []
  yield* journal.lockAll(yield* threadsOfHolds(decisions.map(({ hold_id }) => hold_id)))
  const receipts: Receipt[] = []
  for (const decision of decisions) receipts.push(yield* decideHold(journal, decision))
  return receipts
}

function* decideHold(journal: JournalTransaction, { hold_id, ...decision }: ReadyDecision): Work<Receipt> {
  const hold = yield* findHold(hold_id)
  if (hold === null) return { outcome: 'refused', hold, error: unknownHold(hold_id) }
  const run = yield* findRun(hold.run_id)
  const context = { now: journal.now, isRunOver: run !== null && isOver(run), exported: run?.exported ?? null }
  const { receipt, write } = applyDecision(hold, decision, context)
  if (write) {
    yield updateDecision(write.hold)
    const grant = write.hold.decision?.grant
    if (grant) yield* insertGrant(journal.dialect, grant)
    yield* journal.writeOfHold(write.hold, [write.event])
  }
  return receipt
}
