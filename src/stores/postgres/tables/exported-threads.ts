import { movedOn } from '../../../core/advancing/moved-on.ts'
import { type Exported, movedAway } from '../../../core/run/exported.ts'
import { asExported } from '../../rows/bundle-row.ts'
import type { Query } from '../database/pool.ts'
import type { LockedThread } from './journal-table.ts'

export async function findExport(query: Query, { number }: Pick<LockedThread, 'number'>): Promise<Exported | null> {
  const { rows } = await query('SELECT record FROM @exports WHERE thread = $1', [number])
  return rows[0] ? asExported(rows[0]) : null
}

/**
 * A run can start from `after` only if the thread still stands there. @throws RefusedError `exported` or `superseded`
 */
export async function refuseMovedOn(query: Query, thread: LockedThread, after: number): Promise<void> {
  const exported = await findExport(query, thread)
  if (exported) throw movedAway(exported)
  if (thread.newest !== after) throw movedOn(thread.id)
}
