import type { Decision } from '../../core/decision.ts'
import { RefusedError } from '../../core/errors.ts'
import type { Hold, HoldKind, NewHold, ResumeMode } from '../../core/hold.ts'
import type { HoldQuery, ReadyDecision, Receipt } from '../../ports/store.ts'
import type { Database } from './database.ts'

const COLUMNS = 'id, run_id, thread_id, call_id, kind, status, tool, opened_at, due_at, on_due, asked, decision'

type Cell = string | number | null

/** Inside a transaction. */
export function insertHold(database: Database, hold: NewHold, threadId: string, at: number): void {
  const { id, run_id, call_id, kind, tool, due_at, on_due, ...asked } = hold
  database
    .statement(
      `INSERT INTO holds (id, run_id, thread_id, call_id, kind, status, tool, opened_at, due_at, on_due, asked)
       VALUES (?, ?, ?, ?, ?, 'open', ?, ?, ?, ?, ?)`,
    )
    .run(
      id,
      run_id,
      threadId,
      call_id,
      kind,
      tool,
      at,
      due_at === null ? null : Date.parse(due_at),
      on_due,
      JSON.stringify(asked),
    )
}

/**
 * Inside a transaction: the compare-and-set of P2. One decision finds the row open; every other one reads who was first.
 * A `recorded` receipt still lacks its journal event.
 */
export function decideHold(database: Database, said: ReadyDecision): Receipt {
  const { hold_id, ...decision } = said
  const { changes } = database
    .statement(
      `UPDATE holds SET status = 'decided', decision = ? WHERE id = ? AND status = 'open' AND NOT EXISTS
         (SELECT 1 FROM runs WHERE id = holds.run_id AND (status = 'done' OR ended IS NOT NULL))`,
    )
    .run(JSON.stringify(decision), hold_id)
  const hold = findHold(database, hold_id)
  if (hold === null) return { outcome: 'refused', hold, error: unknownHold(hold_id) }
  if (changes === 1) return { outcome: 'recorded', hold, decision }
  if (hold.decision === null) return { outcome: 'refused', hold, error: noLongerOpen(hold) }
  if (hold.decision.decision_id === decision.decision_id) return { outcome: 'duplicate', hold, decision: hold.decision }
  return { outcome: 'already_decided', hold, winner: hold.decision }
}

/** Inside a transaction: nobody can decide it from here on. One that is no longer open, or of another run, stays as it is. */
export function withdrawHold(database: Database, id: string, runId: string): void {
  database
    .statement(`UPDATE holds SET status = 'withdrawn' WHERE id = ? AND run_id = ? AND status = 'open'`)
    .run(id, runId)
}

export function findHold(database: Database, id: string): Hold | null {
  const row = database.statement(`SELECT ${COLUMNS} FROM holds WHERE id = ?`).get(id)
  return row ? asHold(row) : null
}

export function listHolds(database: Database, query: HoldQuery): Hold[] {
  const conditions: [sql: string, value: Cell][] = []
  if (query.run_id !== undefined) conditions.push(['run_id = ?', query.run_id])
  if (query.thread_id !== undefined) conditions.push(['thread_id = ?', query.thread_id])
  if (query.kind !== undefined) conditions.push(['kind = ?', query.kind])
  if (query.after !== undefined)
    conditions.push(['number > coalesce((SELECT number FROM holds WHERE id = ?), 0)', query.after])
  // A literal, so that SQLite can see that the partial index of open holds serves.
  const status = query.status === undefined ? [] : [`status = '${STATUS_LITERALS[query.status]}'`]
  const where = [...status, ...conditions.map(([sql]) => sql)].join(' AND ')
  return database
    .statement(`SELECT ${COLUMNS} FROM holds ${where ? `WHERE ${where}` : ''} ORDER BY number LIMIT ?`)
    .all(...conditions.map(([, value]) => value), query.limit ?? -1)
    .map(asHold)
}

const STATUS_LITERALS: Record<Hold['status'], string> = {
  open: 'open',
  decided: 'decided',
  expired: 'expired',
  withdrawn: 'withdrawn',
}

/** What is kept as JSON; rows that were written first lack what a hold was not told then. */
type Asked = Pick<Hold, 'arguments' | 'digest' | 'message' | 'context' | 'choices' | 'response_schema'> &
  Partial<Pick<Hold, 'resume_mode' | 'tool_schema'>>

/** What holds did before they said so themselves. */
const UNTOLD_RESUME_MODES: Readonly<Record<HoldKind, ResumeMode>> = {
  approval: 'replay_tool_call',
  in_doubt: 'replay_tool_call',
  question: 'use_decision_as_tool_result',
  input: 'use_decision_as_tool_result',
  client_tool: 'use_decision_as_tool_result',
}

function asHold(row: Record<string, unknown>): Hold {
  const asked = JSON.parse(String(row['asked'])) as Asked
  const kind = row['kind'] as HoldKind
  const due = row['due_at']
  return {
    id: String(row['id']),
    kind,
    status: row['status'] as Hold['status'],
    run_id: String(row['run_id']),
    thread_id: String(row['thread_id']),
    call_id: row['call_id'] as string | null,
    tool: row['tool'] as string | null,
    resume_mode: UNTOLD_RESUME_MODES[kind],
    tool_schema: null,
    ...asked,
    opened_at: new Date(Number(row['opened_at'])).toISOString(),
    due_at: due === null ? null : new Date(Number(due)).toISOString(),
    on_due: row['on_due'] as string | null,
    decision: row['decision'] === null ? null : (JSON.parse(String(row['decision'])) as Decision),
  }
}

function unknownHold(id: string): RefusedError {
  return new RefusedError('unknown_hold', `There is no hold ${id} in this store.`, {
    hint: 'List the open ones with `holdpoint runs`.',
  })
}

const NO_LONGER_OPEN: Readonly<Record<Hold['status'], readonly [code: string, meaning: string]>> = {
  open: ['run_done', 'belongs to a run that has come to its end'],
  decided: ['hold_decided', 'was decided'],
  expired: ['hold_expired', 'expired before anybody decided'],
  withdrawn: ['hold_withdrawn', 'was withdrawn: its run was cancelled, got a new message or came to its end'],
}

function noLongerOpen({ id, run_id, status }: Hold): RefusedError {
  const [code, meaning] = NO_LONGER_OPEN[status]
  return new RefusedError(code, `The hold ${id} ${meaning}, so it can no longer be decided.`, {
    hint: `Nothing was changed. See how run ${run_id} went on with \`holdpoint runs\`.`,
  })
}
