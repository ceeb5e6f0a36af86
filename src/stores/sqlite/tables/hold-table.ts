import type { Decision } from '../../../core/hold/decision.ts'
import type { Hold, HoldKind, NewHold, ResumeMode } from '../../../core/hold/hold.ts'
import { NO_TIMING, type OnDue, wakeTime } from '../../../core/people/due.ts'
import type { HoldOrder, HoldQuery } from '../../../ports/store/holds.ts'
import type { Database } from '../database/database.ts'

const COLUMNS = `id, run_id, thread_id, agent, call_id, kind, status, tool, assignee, opened_at, due_at, on_due, level,
  reminded, votes, asked, decision`

type Cell = string | number | null

/** Inside a transaction. */
export function insertHold(database: Database, hold: NewHold, threadId: string, at: number): void {
  const { id, run_id, agent, call_id, kind, tool, assignee, due_at, on_due, level = 0, ...asked } = hold
  const wakeAt = wakeTime({ ...hold, reminded: 0 })
  database
    .statement(
      `INSERT INTO holds (id, run_id, thread_id, agent, call_id, kind, status, tool, assignee, opened_at, due_at, on_due, level,
         wake_at, asked) VALUES (?, ?, ?, ?, ?, ?, 'open', ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      ...[id, run_id, threadId, agent, call_id, kind, tool, assignee, at],
      due_at === null ? null : Date.parse(due_at),
      ...[on_due, level, wakeAt],
      JSON.stringify(asked),
    )
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
  const row = database.statement(`SELECT ${COLUMNS} FROM holds WHERE id = ?`).get(id)
  return row ? asHold(row) : null
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
  // What is sorted is small: the rows are read when it is known which.
  const sql = order === 'number' ? chosen : `FROM holds WHERE number IN (SELECT number ${chosen}) ORDER BY ${order}`
  return database
    .statement(`SELECT ${COLUMNS} ${sql}`)
    .all(...conditions.map(([, value]) => value), query.limit ?? -1)
    .map(asHold)
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
      `SELECT ${COLUMNS} FROM holds WHERE status = 'open' AND wake_at <= ? AND ${RUN_GOES_ON}
       ORDER BY wake_at, number LIMIT ?`,
    )
    .all(at, limit)
    .map(asHold)
}

/** In milliseconds since 1970. */
export function nextWakeTime(database: Database): number | null {
  const row = database
    .statement(
      `SELECT wake_at AS next FROM holds WHERE status = 'open' AND wake_at > 0 AND ${RUN_GOES_ON}
       ORDER BY wake_at, number LIMIT 1`,
    )
    .get()
  return row === undefined ? null : Number(row['next'])
}

const STATUS_LITERALS: Record<Hold['status'], string> = {
  open: 'open',
  decided: 'decided',
  expired: 'expired',
  withdrawn: 'withdrawn',
  exported: 'exported',
}

/** The fields kept as JSON; old rows lack some of them. */
type AskedText = Pick<Hold, 'arguments' | 'digest' | 'message' | 'context' | 'choices' | 'response_schema'> &
  Partial<Pick<Hold, 'resume_mode' | 'tool_schema' | 'remind_at' | 'escalation' | 'finally' | Whom>>

type Whom = 'destructive' | 'deciders' | 'requesters'

const UNTOLD: Pick<Hold, 'tool_schema' | 'remind_at' | 'escalation' | 'finally' | Whom> = {
  ...NO_TIMING,
  tool_schema: null,
  destructive: false,
  deciders: null,
  requesters: [],
}

/** The resume modes of holds from before they were stored. */
const UNTOLD_RESUME_MODES: Readonly<Record<HoldKind, ResumeMode>> = {
  approval: 'replay_tool_call',
  in_doubt: 'replay_tool_call',
  question: 'use_decision_as_tool_result',
  input: 'use_decision_as_tool_result',
  client_tool: 'use_decision_as_tool_result',
}

function asHold(row: Record<string, unknown>): Hold {
  const asked = JSON.parse(String(row['asked'])) as AskedText
  const kind = row['kind'] as HoldKind
  const due = row['due_at']
  const votes = row['votes']
  return {
    id: String(row['id']),
    kind,
    status: row['status'] as Hold['status'],
    run_id: String(row['run_id']),
    thread_id: String(row['thread_id']),
    agent: String(row['agent']),
    call_id: row['call_id'] as string | null,
    tool: row['tool'] as string | null,
    resume_mode: UNTOLD_RESUME_MODES[kind],
    ...UNTOLD,
    ...asked,
    assignee: row['assignee'] as string | null,
    opened_at: new Date(Number(row['opened_at'])).toISOString(),
    due_at: due === null ? null : new Date(Number(due)).toISOString(),
    on_due: row['on_due'] as OnDue | null,
    level: Number(row['level']),
    reminded: Number(row['reminded']),
    votes: votes === null ? [] : (JSON.parse(String(votes)) as Decision[]),
    decision: row['decision'] === null ? null : decisionIn(String(row['decision'])),
  }
}

/** Decisions that were written first allowed nothing beyond themselves. */
function decisionIn(text: string): Decision {
  return { grant: null, ...(JSON.parse(text) as Omit<Decision, 'grant'>) }
}
