import type { Decision } from '../../core/hold/decision.ts'
import type { Hold, HoldKind, NewHold, ResumeMode } from '../../core/hold/hold.ts'
import { NO_TIMING, type OnDue, wakeTime } from '../../core/people/due.ts'

type Cell = string | number | null

/** Those that `holdIn` reads. */
export const HOLD_COLUMNS = `id, run_id, thread_id, agent, call_id, kind, status, tool, assignee, opened_at, due_at, on_due, level,
  reminded, votes, asked, decision`

/** The columns of a hold that was just opened, but for its status. */
export const NEW_HOLD_COLUMNS = `id, run_id, thread_id, agent, call_id, kind, tool, assignee, opened_at, due_at, on_due, level,
  wake_at, asked`

/** In the order of `NEW_HOLD_COLUMNS`. */
export function newHoldCells(hold: NewHold, threadId: string, at: number): Cell[] {
  const { id, run_id, agent, call_id, kind, tool, assignee, due_at, on_due, level = 0, ...asked } = hold
  const due = due_at === null ? null : Date.parse(due_at)
  const wakesAt = wakeTime({ ...hold, reminded: 0 })
  const identity = [id, run_id, threadId, agent, call_id, kind, tool, assignee]
  return [...identity, at, due, on_due, level, wakesAt, JSON.stringify(asked)]
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

export function holdIn(row: Record<string, unknown>): Hold {
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
