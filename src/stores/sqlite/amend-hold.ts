import { isOver } from '../../core/advancing/run-standing.ts'
import { type Amended, type Amendment, applyAmendment } from '../../core/deciding/amendment.ts'
import type { Database } from './database/database.ts'
import { findHold, updateTerms } from './tables/hold-table.ts'
import { findRun } from './tables/run-table.ts'

/** Inside a transaction: the hold as it is then; `null` if nothing was written. */
export function amendHold(database: Database, amendment: Amendment): Amended {
  const before = findHold(database, amendment.hold_id)
  if (before === null) return null
  const run = findRun(database, before.run_id)?.row
  const hold = applyAmendment(before, amendment, { isRunOver: run !== undefined && isOver(run) })
  if (hold) updateTerms(database, hold)
  return hold
}
