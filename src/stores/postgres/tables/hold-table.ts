import type { Hold, NewHold } from '../../../core/hold/hold.ts'
import { wakeTime } from '../../../core/people/due.ts'
import type { HoldOrder, HoldQuery } from '../../../ports/store/holds.ts'
import { HOLD_COLUMNS, holdIn, NEW_HOLD_COLUMNS, newHoldCells } from '../../rows/hold-row.ts'
import { Conditions } from '../database/conditions.ts'
import type { Query, Statements } from '../database/pool.ts'

/** Inside a transaction. */
export function insertHold(query: Statements, hold: NewHold, threadId: string, at: number): void {
  query.send(
    `INSERT INTO @holds (${NEW_HOLD_COLUMNS}, status)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 'open')`,
    newHoldCells(hold, threadId, at),
  )
}

/**
 * Inside a transaction: the holds cannot be decided from here on. Those that are no longer open, or of another run, stay
 * as they are.
 */
export function withdrawHolds(query: Statements, ids: readonly string[], runId: string): void {
  if (ids.length === 0) return
  query.send(`UPDATE @holds SET status = 'withdrawn' WHERE id = ANY($1::text[]) AND run_id = $2 AND status = 'open'`, [
    ids,
    runId,
  ])
}

/** Inside a transaction, on a hold that was open a moment ago in the same transaction. */
export function updateDecision(query: Statements, { id, status, decision, votes }: Hold): void {
  query.send(`UPDATE @holds SET status = $1, decision = $2, votes = $3 WHERE id = $4 AND status = 'open'`, [
    status,
    decision && JSON.stringify(decision),
    votes.length > 0 ? JSON.stringify(votes) : null,
    id,
  ])
}

/** Inside a transaction, as `updateDecision`: who is asked, until when, and whether time ended it. */
export async function updateTerms(query: Query, hold: Hold): Promise<void> {
  await query(
    `UPDATE @holds SET status = $1, decision = $2, assignee = $3, level = $4, reminded = $5, due_at = $6, wake_at = $7
     WHERE id = $8 AND status = 'open'`,
    [
      hold.status,
      hold.decision && JSON.stringify(hold.decision),
      hold.assignee,
      hold.level,
      hold.reminded,
      hold.due_at === null ? null : Date.parse(hold.due_at),
      wakeTime(hold),
      hold.id,
    ],
  )
}

export async function findHold(query: Query, id: string): Promise<Hold | null> {
  const { rows } = await query(`SELECT ${HOLD_COLUMNS} FROM @holds WHERE id = $1`, [id])
  return rows.map(holdIn)[0] ?? null
}

/** The threads of these holds; unknown ones are left out. */
export async function threadsOfHolds(query: Query, ids: readonly string[]): Promise<string[]> {
  const { rows } = await query('SELECT DISTINCT thread_id FROM @holds WHERE id = ANY($1::text[])', [ids])
  return rows.map(row => String(row['thread_id']))
}

/** The fields of a query that name a column. */
const EQUALITIES = ['run_id', 'thread_id', 'kind', 'agent', 'tool', 'assignee', 'call_id'] as const

export async function listHolds(query: Query, asked: HoldQuery): Promise<Hold[]> {
  const { behind, order } = ORDERS[asked.order ?? 'opened']
  // A literal, so that PostgreSQL can see that the partial index of open holds serves.
  const chosen = new Conditions().addText(asked.status && `status = '${STATUS_LITERALS[asked.status]}'`)
  for (const column of EQUALITIES) chosen.add(`${column} = ?`, asked[column])
  chosen.add(behind, asked.after)
  const { rows } = await query(
    `SELECT ${HOLD_COLUMNS} FROM @holds ${chosen.where} ORDER BY ${order} LIMIT ${chosen.next}`,
    [...chosen.values, asked.limit ?? null],
  )
  return rows.map(holdIn)
}

/** Later than any deadline; as in the index `holds_by_due`. */
const DUE = 'coalesce(due_at, 9000000000000000)'

/** How rows are ordered, and which of them are behind a hold. */
const ORDERS: Readonly<Record<HoldOrder, { readonly order: string; readonly behind: string }>> = {
  opened: { order: 'number', behind: 'number > coalesce((SELECT number FROM @holds WHERE id = ?), 0)' },
  newest: {
    order: 'number DESC',
    behind: 'number < coalesce((SELECT number FROM @holds WHERE id = ?), 9000000000000000)',
  },
  due: {
    order: `${DUE}, number`,
    behind: `(${DUE}, number) > (SELECT coalesce(max(${DUE}), 0), coalesce(max(number), 0) FROM @holds WHERE id = ?)`,
  },
}

/** Time decides no hold that cannot be decided: a run that is about to end takes its holds with it. */
const RUN_GOES_ON = `NOT EXISTS (SELECT 1 FROM @runs r WHERE r.id = h.run_id AND (r.status = 'done' OR r.ended IS NOT NULL))`

export async function listDueHolds(query: Query, at: number, limit: number): Promise<Hold[]> {
  const { rows } = await query(
    `SELECT ${HOLD_COLUMNS} FROM @holds h WHERE status = 'open' AND wake_at <= $1 AND ${RUN_GOES_ON}
     ORDER BY wake_at, number LIMIT $2`,
    [at, limit],
  )
  return rows.map(holdIn)
}

/** In milliseconds since 1970, as `after` is. */
export async function nextWakeTime(query: Query, after: number): Promise<number | null> {
  const { rows } = await query(
    `SELECT wake_at FROM @holds h WHERE status = 'open' AND wake_at > $1 AND ${RUN_GOES_ON} ORDER BY wake_at, number LIMIT 1`,
    [after],
  )
  return rows[0] ? Number(rows[0]['wake_at']) : null
}

const STATUS_LITERALS: Record<Hold['status'], string> = {
  open: 'open',
  decided: 'decided',
  expired: 'expired',
  withdrawn: 'withdrawn',
  exported: 'exported',
}
