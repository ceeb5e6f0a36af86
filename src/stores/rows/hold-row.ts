import { RISKS } from '../../core/hold/act.ts'
import { type Decision, VERDICTS } from '../../core/hold/decision.ts'
import {
  HOLD_KINDS,
  HOLD_STATUSES,
  type Hold,
  type HoldKind,
  type NewHold,
  RESUME_MODES,
  type ResumeMode,
} from '../../core/hold/hold.ts'
import { FINAL_ACTIONS, NO_TIMING, ON_DUE, wakeTime } from '../../core/people/due.ts'
import { unreadableText } from '../../core/unreadable.ts'
import { json, number, oneOf, orNull, text, time } from './decode/cells.ts'
import { decodeRow, type Row } from './decode/decode-row.ts'
import {
  isNumber,
  isObject,
  isOneOf,
  isText,
  isTime,
  listOf,
  orNull as maybe,
  objectWith,
  orLeftOut,
} from './decode/shapes.ts'

type Cell = string | number | null

/** The columns that `holdIn` reads. */
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

const IS_PEOPLE = objectWith({ people: maybe(listOf(isText)), quorum: isNumber, groups: orLeftOut(listOf(isText)) })
const IS_LEVEL = objectWith({ assignee: isText, seconds: isNumber, people: listOf(isText) })

const IS_ASKED = objectWith({
  arguments: value => value === null || isText(value) || isObject(value),
  digest: maybe(isText),
  message: isText,
  choices: maybe(listOf(isText)),
  response_schema: maybe(isObject),
  resume_mode: orLeftOut(isOneOf(RESUME_MODES)),
  tool_schema: orLeftOut(maybe(isObject)),
  preview: orLeftOut(objectWith({ parts: listOf(isObject), digest: isText })),
  called_before: orLeftOut(listOf(isObject)),
  started: orLeftOut(objectWith({ what: isOneOf(['command', 'owner']), process: isText, since: isText })),
  remind_at: orLeftOut(listOf(isTime)),
  title: orLeftOut(isText),
  task: orLeftOut(
    objectWith({ text: isText, by: maybe(isText), directory: isText, branch: maybe(isText), host: isText }),
  ),
  risk: orLeftOut(isOneOf(RISKS)),
  reaches: orLeftOut(listOf(isText)),
  escalation: orLeftOut(listOf(IS_LEVEL)),
  finally: orLeftOut(isOneOf(FINAL_ACTIONS)),
  deciders: orLeftOut(maybe(IS_PEOPLE)),
  requesters: orLeftOut(listOf(isText)),
})

const IS_DECISION = objectWith({
  ...{ decision_id: isText, verdict: isOneOf(VERDICTS), decided_by: isText, surface: isText, at: isTime },
  ...{ grant: orLeftOut(maybe(isObject)), arguments: maybe(isObject), parts: orLeftOut(listOf(isObject)) },
})

const NOTHING_ASKED: AskedText = {
  ...{ arguments: null, digest: null, message: '', context: null, choices: null, response_schema: null },
}

const CELLS = {
  ...{ id: text(), run_id: text(), thread_id: text(), agent: text() },
  call_id: orNull(text()),
  kind: oneOf(HOLD_KINDS, 'approval'),
  status: oneOf(HOLD_STATUSES, 'withdrawn'),
  tool: orNull(text()),
  assignee: orNull(text()),
  opened_at: time,
  due_at: orNull(time),
  on_due: orNull(oneOf(ON_DUE, 'cancel')),
  level: number,
  reminded: number,
  votes: orNull(json<readonly Decision[]>(listOf(IS_DECISION), 'votes', [])),
  asked: json<AskedText>(IS_ASKED, 'a request', NOTHING_ASKED),
  decision: orNull(json<Omit<Decision, 'grant'> | null>(IS_DECISION, 'a decision', null)),
}

export function holdIn(row: Row): Hold {
  const { asked, unreadable, ...cells } = decodeRow(CELLS, row)
  return {
    id: cells.id,
    kind: cells.kind,
    status: cells.status,
    run_id: cells.run_id,
    thread_id: cells.thread_id,
    agent: cells.agent,
    call_id: cells.call_id,
    tool: cells.tool,
    resume_mode: UNTOLD_RESUME_MODES[cells.kind],
    ...UNTOLD,
    ...asked,
    ...(unreadable && { message: unreadableText('hold', unreadable) }),
    assignee: cells.assignee,
    opened_at: cells.opened_at,
    due_at: cells.due_at,
    on_due: cells.on_due,
    level: cells.level,
    reminded: cells.reminded,
    votes: cells.votes ?? [],
    // Decisions that were written first allowed nothing beyond themselves.
    decision: cells.decision && { grant: null, ...cells.decision },
    ...(unreadable && { unreadable }),
  }
}
