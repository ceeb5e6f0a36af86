import type { Amount, Count } from '../count.ts'
import { isFound, NEVER_TRIED, type TryPattern } from '../pattern/try-pattern.ts'
import type { Refusals } from './insistence.ts'
import { cycleIn, signatureOf } from './repetition.ts'
import type { Termination } from './termination.ts'
import type { CallStatus, ToolCall } from './tool-call.ts'
import { moneyText } from './usage/money.ts'
import type { RunUsage } from './usage/usage.ts'
import type { Used } from './usage/used.ts'

/**
 * docs/design/runs.md#stop-conditions: read at the end of each step, `timeout` also during one, `max_pauses` at a hold.
 * With `lifetime` a budget counts over the whole run, otherwise since the newest message of a person.
 */
export type StopCondition =
  /** No more than this many inference rounds. */
  | { readonly type: 'max_rounds'; readonly rounds: Count; readonly lifetime?: boolean }
  /** Time that the run is worked on, waiting excluded. */
  | { readonly type: 'timeout'; readonly seconds: WorkSeconds; readonly lifetime?: boolean }
  /** Tokens in and out, over all rounds. */
  | { readonly type: 'token_budget'; readonly max_total: Count; readonly lifetime?: boolean }
  /** Dollars, by the prices of the run. */
  | { readonly type: 'budget'; readonly usd: SomeDollars; readonly lifetime?: boolean }
  /** Calls in a row that failed by themselves; what a person or policy refused is no error. */
  | { readonly type: 'consecutive_errors'; readonly max: Count }
  /** A call of this tool is over; with `on: success` only if it succeeded. */
  | { readonly type: 'stop_on_tool'; readonly tool_name: ToolName; readonly on?: 'call' | 'success' }
  /** The model's text matches this regular expression. */
  | { readonly type: 'content_match'; readonly pattern: Pattern }
  /** This many calls in a row that are the same, by name and arguments, or repeat a cycle of calls at least twice. */
  | { readonly type: 'loop_detection'; readonly window: Window }
  /** The calls of no more than this many steps may wait for people. Read when a call would be held. */
  | { readonly type: 'max_pauses'; readonly pauses: Count }

/** @exclusiveMinimum 0 */
type WorkSeconds = number

/** @exclusiveMinimum 0 */
type SomeDollars = number

/** @minLength 1 */
type ToolName = string

/**
 * A JavaScript regular expression with the flag u, without lookaround and without references back to groups.
 * @minLength 1
 * @format regex
 */
type Pattern = string

/**
 * Two calls at least.
 * @asType integer
 * @minimum 2
 * @maximum 9007199254740991
 */
type Window = number

/**
 * The counters of the conditions, over a run and those that it continues. They live in the journal: a resume resets
 * nothing, and the next message of a person begins them anew.
 */
export interface Counters {
  /** Milliseconds, up to the newest checkpoint. */
  readonly active_ms: number
  /** The part of the budgets that was used before the newest message of a person: it does not count any more. */
  readonly used_before: Used
  readonly errors_in_row: Amount
  /** Finished steps whose calls were held. */
  readonly pauses: Amount
  readonly refused_in_row: Refusals
  /** Signatures of the newest calls, oldest first: as many as a `loop_detection` looks at. */
  readonly recent_calls: readonly string[]
}

/** The budgets that a run takes over from the one it continues. */
export interface Carried {
  readonly run_id: string
  readonly steps: Amount
  readonly usage: RunUsage
  readonly counters: Counters
}

const NO_STREAK: Omit<Counters, 'active_ms' | 'used_before'> = {
  errors_in_row: 0,
  pauses: 0,
  refused_in_row: {},
  recent_calls: [],
}

export const NO_COUNTERS: Counters = {
  active_ms: 0,
  used_before: { rounds: 0, total_tokens: 0, active_ms: 0 },
  ...NO_STREAK,
}

/** Resets the counters after a message of a person, before which `used` was used. */
export function countAnew(counters: Counters, used: Used): Counters {
  return { ...counters, ...NO_STREAK, used_before: used }
}

/** The codes of errors that are refusals, not failures. */
const REFUSALS: readonly string[] = ['TOOL_CALL_REJECTED', 'TOOL_CALL_FORBIDDEN', 'QUESTION_DECLINED']

const COUNTED: readonly CallStatus[] = ['succeeded', 'failed']

/** Takes the calls of a finished step in, in call order. */
export function countCalls(
  before: Counters,
  calls: readonly ToolCall[],
  conditions: readonly StopCondition[],
): Counters {
  let { errors_in_row } = before
  for (const call of calls) {
    // A plugin may call the result of a call that succeeded an error.
    if (call.status === 'succeeded' && call.error === null) errors_in_row = 0
    else if (COUNTED.includes(call.status) && !REFUSALS.includes(call.error?.code ?? '')) errors_in_row += 1
  }
  const kept = Math.max(0, ...conditions.map(each => (each.type === 'loop_detection' ? each.window : 0)))
  const recent_calls = kept === 0 ? [] : [...before.recent_calls, ...calls.map(signatureOf)].slice(-kept)
  return { ...before, errors_in_row, recent_calls }
}

/** A step of which calls were held is one pause, however many they were. */
export function countPause(before: Counters): Counters {
  return { ...before, pauses: before.pauses + 1 }
}

/** The state of a run between two steps. Budgets are those that were used since the newest message of a person. */
export interface Standing extends Used, Omit<Counters, 'used_before'> {
  /** The budgets used in the whole run. */
  readonly in_all: Used
  /** The model's text in the newest step; `null` before there was one. */
  readonly text: string | null
  /** Names of the tools whose calls succeeded in it, and of all that were called. */
  readonly ran: readonly string[]
  readonly called: readonly string[]
  /** True if the model asked for nothing more. */
  readonly natural_end: boolean
  /** Default: patterns that only JavaScript can try are not found. */
  readonly tryPattern?: TryPattern | undefined
}

type Check<K extends StopCondition['type']> = (
  condition: Extract<StopCondition, { type: K }>,
  facts: Standing,
) => string | null

const CHECKS: { readonly [K in StopCondition['type']]: Check<K> } = {
  max_rounds: ({ rounds: max, ...how }, facts) => {
    const { rounds } = usedOf(how, facts)
    return rounds >= max ? `${rounds} of ${max} rounds were used` : null
  },
  timeout: ({ seconds, ...how }, facts) => outOfTime(seconds, usedOf(how, facts).active_ms),
  token_budget: ({ max_total, ...how }, facts) => {
    const { total_tokens } = usedOf(how, facts)
    return total_tokens >= max_total ? `${total_tokens} of ${max_total} tokens were used` : null
  },
  budget: ({ usd, ...how }, facts) => {
    const { cost_usd = 0, unpriced_tokens = 0 } = usedOf(how, facts)
    if (unpriced_tokens > 0) return `${unpriced_tokens} tokens of a model without a price were used`
    return cost_usd >= usd ? `${moneyText(cost_usd)} of ${moneyText(usd)} were used` : null
  },
  consecutive_errors: ({ max }, { errors_in_row }) =>
    errors_in_row >= max ? `${errors_in_row} calls in a row failed` : null,
  stop_on_tool: ({ tool_name, on = 'call' }, { ran, called }) => {
    if (ran.includes(tool_name)) return `${tool_name} ran`
    return on === 'call' && called.includes(tool_name) ? `${tool_name} was called` : null
  },
  content_match: ({ pattern }, { text, tryPattern = NEVER_TRIED }) =>
    text !== null && isFound(pattern, text, tryPattern) ? `the answer matches ${JSON.stringify(pattern)}` : null,
  loop_detection: ({ window }, { recent_calls }) => {
    const length = cycleIn(recent_calls, window)
    if (length === null) return null
    return length === 1 ? `the last ${window} calls were the same` : `the last ${window} calls repeat ${length} calls`
  },
  // The model sees the results of the last pause: `pausesUpFor` ends the run when it would pause again.
  max_pauses: () => null,
}

function usedOf({ lifetime = false }: { readonly lifetime?: boolean }, facts: Standing): Used {
  return lifetime ? facts.in_all : facts
}

/** A limit does not spoil an answer that is complete without more work. */
const ENDS_AN_ANSWER: readonly StopCondition['type'][] = ['content_match']

/** A run without any limit does not go on for ever. */
const USUAL: readonly StopCondition[] = [{ type: 'max_rounds', rounds: 200 }]

/** The first condition in list order that holds, as the end of the run; `null` while none does. */
export function stopFor(conditions: readonly StopCondition[], facts: Standing): Termination | null {
  for (const condition of conditions.length === 0 ? USUAL : conditions) {
    if (facts.natural_end && !ENDS_AN_ANSWER.includes(condition.type)) continue
    const detail = detailOf(condition, facts)
    if (detail !== null) return { type: 'stopped', code: condition.type, detail }
  }
  return null
}

function detailOf<K extends StopCondition['type']>(
  condition: Extract<StopCondition, { type: K }>,
  facts: Standing,
): string | null {
  return (CHECKS[condition.type] as Check<K>)(condition, facts)
}

/** The end of a run that no message gives more of its budgets. */
export function stopForGood(conditions: readonly StopCondition[], facts: Standing): Termination | null {
  const lasting = conditions.filter(isLasting)
  return lasting.length === 0 ? null : stopFor(lasting, { ...facts, natural_end: false })
}

function isLasting(condition: StopCondition): boolean {
  return 'lifetime' in condition && condition.lifetime === true
}

/** The end of a run that has paused as often as it may, and would pause again. */
export function pausesUpFor(conditions: readonly StopCondition[], pauses: number): Termination | null {
  const isUp = conditions.some(condition => condition.type === 'max_pauses' && pauses >= condition.pauses)
  if (!isUp) return null
  return { type: 'stopped', code: 'max_pauses', detail: `it paused ${pauses} ${pauses === 1 ? 'time' : 'times'}` }
}

/**
 * The end of a run that is out of time, also in the middle of a step. Before the newest message of a person it had
 * worked for `before` milliseconds.
 */
export function timeoutFor(conditions: readonly StopCondition[], active_ms: number, before = 0): Termination | null {
  const first = timeoutsOf(conditions, before).find(({ at }) => active_ms >= at)
  const detail = first ? outOfTime(first.seconds, active_ms - first.from) : null
  return detail === null ? null : { type: 'stopped', code: 'timeout', detail }
}

/** The work, in milliseconds and a whole number, at which the run is out of time; `null` for no limit. */
export function deadlineOf(conditions: readonly StopCondition[], before = 0): number | null {
  return timeoutsOf(conditions, before)[0]?.at ?? null
}

interface Timeout {
  readonly seconds: number
  readonly from: number
  readonly at: number
}

/** The earliest one first. */
function timeoutsOf(conditions: readonly StopCondition[], before: number): readonly Timeout[] {
  const timeouts = conditions.flatMap((condition): Timeout[] => {
    if (condition.type !== 'timeout') return []
    const from = isLasting(condition) ? 0 : before
    return [{ seconds: condition.seconds, from, at: from + milliseconds(condition.seconds) }]
  })
  return timeouts.toSorted((one, other) => one.at - other.at)
}

function outOfTime(seconds: number, active_ms: number): string | null {
  return active_ms >= milliseconds(seconds) ? `it was worked on for ${active_ms / 1000} of ${seconds} seconds` : null
}

/** Whole: 4.03 seconds times 1000 is a bit more than 4030, which a timer of 4030 milliseconds never reaches. */
function milliseconds(seconds: number): number {
  return Math.max(1, Math.round(seconds * 1000))
}
