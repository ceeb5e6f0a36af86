import { isOver } from '../../core/advancing/run-standing.ts'
import { type Amendment, type AppliedAmendment, applyAmendment } from '../../core/deciding/amendment.ts'
import type { Database } from './database/database.ts'
import { findHold, listHolds, updateTerms, withdrawHold } from './tables/hold-table.ts'
import { findRun } from './tables/run-table.ts'

/** Inside a transaction; `null` if nothing was written. The events are for the caller to write. */
export function amendHold(database: Database, amendment: Amendment, now: number): AppliedAmendment | null {
  const before = findHold(database, amendment.hold_id)
  if (before === null) return null
  const { run_id } = before
  const run = findRun(database, run_id)?.row
  const applied = applyAmendment(before, amendment, {
    isRunOver: run !== undefined && isOver(run),
    now,
    openHolds: () => listHolds(database, { run_id, status: 'open' }),
  })
  if (applied === null) return null
  updateTerms(database, applied.hold)
  for (const { id } of applied.withdraws) withdrawHold(database, id, run_id)
  return applied
}
