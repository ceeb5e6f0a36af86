import type { Hold, NewHold } from '../../../core/hold/hold.ts'
import { wakeTime } from '../../../core/people/due.ts'
import type { HoldOrder, HoldQuery } from '../../../ports/store/holds.ts'
import { HOLD_COLUMNS, holdIn, NEW_HOLD_COLUMNS, newHoldCells } from '../../rows/hold-row.ts'
import type { Database } from '../database/database.ts'

type Cell = string | number | null

/** Inside a transaction. */
export function insertHold(database: Database, hold: NewHold, threadId: string, at: number): void {
  database
    .statement(
      `INSERT INTO holds (${NEW_HOLD_COLUMNS}, status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open')`,
    )
    .run(...newHoldCells(hold, threadId, at))
}

/**
 * Inside a transaction: the hold cannot be decided from here on. One that is no longer open, or of another run, stays
 * as it is.
 */
export function withdrawHold(database: Database, id: string, runId: string): void {
  database
    .statement(`UPDATE holds SET status = 'withdrawn' WHERE id = ? AND run_id = ? AND status = 'open'`)
    .run(id, runId)
}

/** Inside a transaction, on a hold that was open a moment ago in the same transaction. */
export function updateDecision(database: Database, { id, status, decision, votes }: Hold): void {
  database
    .statement(`UPDATE holds SET status = ?, decision = ?, votes = ? WHERE id = ? AND status = 'open'`)
    .run(status, decision && JSON.stringify(decision), votes.length > 0 ? JSON.stringify(votes) : null, id)
}

/** Inside a transaction, as `updateDecision`: who is asked, until when, and whether time ended it. */
export function updateTerms(database: Database, hold: Hold): void {
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
}

/** When it is looked at next, in milliseconds since 1970; `null` for never. */
export function wakesAt(database: Database, id: string): number | null {
  const at = database.statement('SELECT wake_at FROM holds WHERE id = ?').get(id)?.['wake_at'] ?? null
  return at === null ? null : Number(at)
}

export function findHold(database: Database, id: string): Hold | null {
  const row = database.statement(`SELECT ${HOLD_COLUMNS} FROM holds WHERE id = ?`).get(id)
  return row ? holdIn(row) : null
}

/** The fields of a query that name a column. */
const EQUALITIES = ['run_id', 'thread_id', 'kind', 'agent', 'tool', 'assignee', 'call_id'] as const

export function listHolds(database: Database, query: HoldQuery): Hold[] {
  const conditions = EQUALITIES.flatMap((column): [sql: string, value: Cell][] => {
    const value = query[column]
    return value === undefined ? [] : [[`${column} = ?`, value]]
  })
  const { behind, order } = ORDERS[query.order ?? 'opened']
  if (query.after !== undefined) conditions.push([behind, query.after])
  // A literal, so that SQLite can see that the partial index of open holds serves.
  const status = query.status === undefined ? [] : [`status = '${STATUS_LITERALS[query.status]}'`]
  const where = [...status, ...conditions.map(([sql]) => sql)].join(' AND ')
  const chosen = `FROM holds ${where ? `WHERE ${where}` : ''} ORDER BY ${order} LIMIT ?`
  // Only numbers are sorted, which are small: the rows are read once their numbers are known.
  const sql = order === 'number' ? chosen : `FROM holds WHERE number IN (SELECT number ${chosen}) ORDER BY ${order}`
  return database
    .statement(`SELECT ${HOLD_COLUMNS} ${sql}`)
    .all(...conditions.map(([, value]) => value), query.limit ?? -1)
    .map(holdIn)
}

/** Later than any deadline. */
const NEVER = 9e15
const DUE = `coalesce(due_at, ${NEVER})`

/** How rows are ordered, and which of them are behind a hold. */
const ORDERS: Readonly<Record<HoldOrder, { readonly order: string; readonly behind: string }>> = {
  opened: { order: 'number', behind: 'number > coalesce((SELECT number FROM holds WHERE id = ?), 0)' },
  newest: { order: 'number DESC', behind: `number < coalesce((SELECT number FROM holds WHERE id = ?), ${NEVER})` },
  due: {
    order: `${DUE}, number`,
    behind: `(${DUE}, number) > (SELECT coalesce(max(${DUE}), 0), coalesce(max(number), 0) FROM holds WHERE id = ?)`,
  },
}

/** Time decides no hold that cannot be decided: a run that is about to end takes its holds with it. */
const RUN_GOES_ON = `NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = holds.run_id AND (r.status = 'done' OR r.ended IS NOT NULL))`

export function listDueHolds(database: Database, at: number, limit: number): Hold[] {
  return database
    .statement(
      `SELECT ${HOLD_COLUMNS} FROM holds WHERE status = 'open' AND wake_at <= ? AND ${RUN_GOES_ON}
       ORDER BY wake_at, number LIMIT ?`,
    )
    .all(at, limit)
    .map(holdIn)
}

/** In milliseconds since 1970, as `after` is. */
export function nextWakeTime(database: Database, after: number): number | null {
  const row = database
    .statement(
      `SELECT wake_at AS next FROM holds WHERE status = 'open' AND wake_at > ? AND ${RUN_GOES_ON}
       ORDER BY wake_at, number LIMIT 1`,
    )
    .get(after)
  return row === undefined ? null : Number(row['next'])
}

const STATUS_LITERALS: Record<Hold['status'], string> = {
  open: 'open',
  decided: 'decided',
  expired: 'expired',
  withdrawn: 'withdrawn',
  exported: 'exported',
}
