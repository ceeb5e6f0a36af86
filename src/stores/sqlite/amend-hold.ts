import type { Amendment, HoldEvent } from '../../core/deciding/amendment.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { wakeTime } from '../../core/people/due.ts'
import type { Database } from './database/database.ts'
import { findHold } from './tables/hold-table.ts'
import { isRunOver } from './tables/run-table.ts'

type Change = Partial<Pick<Hold, 'status' | 'decision' | 'assignee' | 'level' | 'reminded' | 'due_at'>>

/** What each event makes of a hold. */
const CHANGES: { readonly [K in HoldEvent['kind']]: (data: Extract<HoldEvent, { kind: K }>['data']) => Change } = {
  'hold.unclear': () => ({}),
  'hold.assigned': ({ assignee }) => ({ assignee }),
  'hold.reminded': ({ number }) => ({ reminded: number }),
  'hold.escalated': ({ level, assignee, due_at }) => ({ level, assignee, due_at }),
  'hold.expired': ({ decision }) => ({ status: 'expired', decision }),
}

/** Inside a transaction: the hold as it is then; `null` where it is not open any more, or has moved on since it was seen. */
export function amendHold(database: Database, { hold_id, event, seen }: Amendment): Hold | null {
  const before = findHold(database, hold_id)
  if (before?.status !== 'open' || (seen && !isAsSeen(before, seen)) || isRunOver(database, before.run_id)) return null
  const change = CHANGES[event.kind] as (data: HoldEvent['data']) => Change
  const hold: Hold = { ...before, ...change(event.data) }
  database
    .statement(
      `UPDATE holds SET status = ?, decision = ?, assignee = ?, level = ?, reminded = ?, due_at = ?, wake_at = ?
       WHERE id = ? AND status = 'open'`,
    )
    .run(
      hold.status,
      hold.decision && JSON.stringify(hold.decision),
      ...[hold.assignee, hold.level, hold.reminded],
      hold.due_at === null ? null : Date.parse(hold.due_at),
      wakeTime(hold),
      hold.id,
    )
  return hold
}

function isAsSeen({ level, reminded }: Hold, seen: Pick<Hold, 'level' | 'reminded'>): boolean {
  return level === seen.level && reminded === seen.reminded
}
