import { movedOn } from '../../../core/advancing/moved-on.ts'
import { type Exported, movedAway } from '../../../core/run/exported.ts'
import { asExported } from '../../rows/bundle-row.ts'
import type { Database } from '../database/database.ts'
import { lastSeq, type ThreadPlace } from './journal-table.ts'

/** @throws RefusedError `exported` */
export function refuseExported(database: Database, thread: ThreadPlace): void {
  const exported = findExport(database, thread)
  if (exported) throw movedAway(exported)
}

export function findExport(database: Database, { number }: ThreadPlace): Exported | null {
  const row = database.statement('SELECT record FROM exports WHERE thread = ?').get(number)
  return row ? asExported(row) : null
}

/**
 * A run can start from `after` only if the thread still stands there. @throws RefusedError `exported` or `superseded`
 */
export function refuseMovedOn(database: Database, thread: ThreadPlace, after: number): void {
  refuseExported(database, thread)
  if (lastSeq(database, thread) !== after) throw movedOn(thread.id)
}
