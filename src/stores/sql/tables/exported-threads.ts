import { movedOn } from '../../../core/advancing/moved-on.ts'
import { type Exported, movedAway } from '../../../core/run/exported.ts'
import { asExported } from '../../rows/bundle-row.ts'
import { first, type Work } from '../driver/work.ts'
import type { LockedThread } from './journal-table.ts'

export function* findExport({ number }: Pick<LockedThread, 'number'>): Work<Exported | null> {
  const row = yield* first('SELECT record FROM @exports WHERE thread = ?', [number])
  return row ? asExported(row) : null
}

/** A run can start from `after` only if it is the end of the thread. @throws RefusedError `exported` or `superseded` */
export function* refuseMovedOn(thread: LockedThread, after: number): Work<void> {
  const exported = yield* findExport(thread)
  if (exported) throw movedAway(exported)
  if (thread.newest !== after) throw movedOn(thread.id)
}
