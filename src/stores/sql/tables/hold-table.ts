import type { Hold, NewHold } from '../../../core/hold/hold.ts'
import { wakeTime } from '../../../core/people/due.ts'
import type { HoldOrder, HoldQuery } from '../../../ports/store/holds.ts'
import { HOLD_COLUMNS, holdIn, NEW_HOLD_COLUMNS, newHoldCells } from '../../rows/hold-row.ts'
import { millisecondsOrNull } from '../../rows/iso-times.ts'
import { Conditions } from '../driver/conditions.ts'
import type { Dialect } from '../driver/dialect.ts'
import { all, first, run, type Statement, send, sendEach, type Work } from '../driver/work.ts'

/** Inside a transaction. */
export function insertHolds(holds: readonly NewHold[], threadId: string, at: number): readonly Statement[] {
  return sendEach(
    INSERT,
    holds.map(hold => newHoldCells(hold, threadId, at)),
  )
}

const INSERT = `INSERT INTO @holds (${NEW_HOLD_COLUMNS}, status)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open')`

/**
 * Inside a transaction: the holds cannot be decided from here on. Those that are no longer open, or of another run, stay
 * as they are.
 */
export function withdrawHolds(ids: readonly string[], runId: string): readonly Statement[] {
  if (ids.length === 0) return []
  return send(`UPDATE @holds SET status = 'withdrawn' WHERE id = ANY(?::text[]) AND run_id = ? AND status = 'open'`, [
    ids,
    runId,
  ])
}

/** Inside a transaction, on a hold that was open a moment ago in the same transaction. */
export function updateDecision({ id, status, decision, votes }: Hold): readonly Statement[] {
  return send(`UPDATE @holds SET status = ?, decision = ?, votes = ? WHERE id = ? AND status = 'open'`, [
    status,
    decision && JSON.stringify(decision),
    votes.length > 0 ? JSON.stringify(votes) : null,
    id,
  ])
}

/** Inside a transaction, as `updateDecision`: who is asked, until when, and whether time ended it. */
export function* updateTerms(hold: Hold): Work<void> {
  yield* run(
    `UPDATE @holds SET status = ?, decision = ?, assignee = ?, level = ?, reminded = ?, due_at = ?, wake_at = ?
     WHERE id = ? AND status = 'open'`,
    [
      ...[hold.status, hold.decision && JSON.stringify(hold.decision), hold.assignee, hold.level, hold.reminded],
      ...[millisecondsOrNull(hold.due_at), wakeTime(hold), hold.id],
    ],
  )
}

export function* findHold(id: string): Work<Hold | null> {
  const row = yield* first(`SELECT ${HOLD_COLUMNS} FROM @holds WHERE id = ?`, [id])
  return row ? holdIn(row) : null
}

/** The threads of these holds; unknown ones are left out. */
export function* threadsOfHolds(ids: readonly string[]): Work<string[]> {
  const rows = yield* all('SELECT thread_id FROM @holds WHERE id = ANY(?::text[])', [ids])
  return [...new Set(rows.map(row => String(row['thread_id'])))]
}

/** The fields of a query that name a column. */
const EQUALITIES = ['run_id', 'thread_id', 'kind', 'agent', 'tool', 'assignee', 'call_id'] as const

export function* listHolds({ sortsNumbers }: Dialect, query: HoldQuery): Work<Hold[]> {
  const { behind, order } = ORDERS[query.order ?? 'opened']
  // A literal, so that the database can see that the partial index of open holds serves.
  const chosen = new Conditions().addText(query.status && `status = '${STATUS_LITERALS[query.status]}'`)
  for (const column of EQUALITIES) chosen.add(`${column} = ?`, query[column])
  chosen.add(behind, query.after)
  const page = `FROM @holds ${chosen.where} ORDER BY ${order} LIMIT ?`
  const from = sortsNumbers ? `FROM @holds WHERE number IN (SELECT number ${page}) ORDER BY ${order}` : page
  return (yield* all(`SELECT ${HOLD_COLUMNS} ${from}`, [...chosen.values, query.limit ?? null])).map(holdIn)
}

/** Later than any deadline; as in the index `holds_by_due` of PostgreSQL. */
const NEVER = '9000000000000000'
const DUE = `coalesce(due_at, ${NEVER})`

/** The order of rows, and the condition for rows after a hold. */
const ORDERS: Readonly<Record<HoldOrder, { readonly order: string; readonly behind: string }>> = {
  opened: { order: 'number', behind: 'number > coalesce((SELECT number FROM @holds WHERE id = ?), 0)' },
  newest: { order: 'number DESC', behind: `number < coalesce((SELECT number FROM @holds WHERE id = ?), ${NEVER})` },
  due: {
    order: `${DUE}, number`,
    behind: `(${DUE}, number) > (SELECT coalesce(max(${DUE}), 0), coalesce(max(number), 0) FROM @holds WHERE id = ?)`,
  },
}

/** Time decides no hold that cannot be decided: a run that is about to end takes its holds with it. */
const RUN_GOES_ON = `NOT EXISTS (SELECT 1 FROM @runs r WHERE r.id = h.run_id AND (r.status = 'done' OR r.ended IS NOT NULL))`

export function* listDueHolds(at: number, limit: number): Work<Hold[]> {
  const rows = yield* all(
    `SELECT ${HOLD_COLUMNS} FROM @holds h WHERE status = 'open' AND wake_at <= ? AND ${RUN_GOES_ON}
     ORDER BY wake_at, number LIMIT ?`,
    [at, limit],
  )
  return rows.map(holdIn)
}

/** In milliseconds since 1970, as `after` is. */
export function* nextWakeTime(after: number): Work<number | null> {
  const row = yield* first(
    `SELECT wake_at FROM @holds h WHERE status = 'open' AND wake_at > ? AND ${RUN_GOES_ON}
     ORDER BY wake_at, number LIMIT 1`,
    [after],
  )
  return row ? Number(row['wake_at']) : null
}

const STATUS_LITERALS: Record<Hold['status'], string> = {
  open: 'open',
  decided: 'decided',
  expired: 'expired',
  withdrawn: 'withdrawn',
  exported: 'exported',
}
