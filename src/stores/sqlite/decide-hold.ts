import { isOver } from '../../core/advancing/run-standing.ts'
import { type AppliedDecision, applyDecision } from '../../core/deciding/apply-decision.ts'
import type { ReadyDecision } from '../../core/deciding/receipt.ts'
import { unknownHold } from '../../core/hold/unknown-hold.ts'
import type { Database } from './database/database.ts'
import { insertGrant } from './tables/grant-table.ts'
import { findHold, updateDecision } from './tables/hold-table.ts'
import { findRun } from './tables/run-table.ts'

/** Inside a transaction: the compare-and-set of P2. The event of what was recorded is for the caller to write. */
export function decideHold(database: Database, { hold_id, ...decision }: ReadyDecision, now: number): AppliedDecision {
  const hold = findHold(database, hold_id)
  if (hold === null) return { receipt: { outcome: 'refused', hold, error: unknownHold(hold_id) }, write: null }
  const run = findRun(database, hold.run_id)?.row
  const context = { now, isRunOver: run !== undefined && isOver(run), exported: run?.exported ?? null }
  const applied = applyDecision(hold, decision, context)
  if (applied.write) {
    const { hold: decided } = applied.write
    updateDecision(database, decided)
    if (decided.decision?.grant) insertGrant(database, decided.decision.grant)
  }
  return applied
}
