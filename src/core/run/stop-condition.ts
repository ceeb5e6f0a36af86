import type { Amount, Count } from '../count.ts'
import { inWords } from '../given-fields.ts'
import { cycleIn, signatureOf } from './repetition.ts'
import type { Termination } from './termination.ts'
import type { CallStatus, ToolCall } from './tool-call.ts'

/** docs/design/runs.md#stop-conditions: read at the end of each step, `timeout` also during one, `max_pauses` at a hold. */
export type StopCondition =
  /** No more than this many inference rounds. */
  | { readonly type: 'max_rounds'; readonly rounds: Count }
  /** Time that the run is worked on, waiting excluded. */
  | { readonly type: 'timeout'; readonly seconds: WorkSeconds }
  /** Tokens in and out, over all rounds. */
  | { readonly type: 'token_budget'; readonly max_total: Count }
  /** Calls in a row that failed by themselves; what a person or policy refused is no error. */
  | { readonly type: 'consecutive_errors'; readonly max: Count }
  /** A call of this tool succeeded. */
  | { readonly type: 'stop_on_tool'; readonly tool_name: ToolName }
  /** The model's text matches this regular expression. */
  | { readonly type: 'content_match'; readonly pattern: Pattern }
  /** This many calls in a row that are the same, by name and arguments, or repeat a cycle of calls at least twice. */
  | { readonly type: 'loop_detection'; readonly window: Window }
  /** The calls of no more than this many steps may wait for people. Read when a call would be held. */
  | { readonly type: 'max_pauses'; readonly pauses: Count }

/** @exclusiveMinimum 0 */
type WorkSeconds = number

/** @minLength 1 */
type ToolName = string

/**
 * As JavaScript reads it with the flag u.
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

/** A share of the budgets of a run. */
export interface Used {
  readonly rounds: Amount
  readonly total_tokens: Amount
  readonly active_ms: number
}

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
  /** Signatures of the newest calls, oldest first: as many as a `loop_detection` looks at. */
  readonly recent_calls: readonly string[]
}

const NO_STREAK: Omit<Counters, 'active_ms' | 'used_before'> = { errors_in_row: 0, pauses: 0, recent_calls: [] }

export const NO_COUNTERS: Counters = {
  active_ms: 0,
  used_before: { rounds: 0, total_tokens: 0, active_ms: 0 },
  ...NO_STREAK,
}

/** The counters behind a message of a person, before which `used` was used. */
export function countAnew(counters: Counters, used: Used): Counters {
  return { ...counters, ...NO_STREAK, used_before: used }
}

/** Errors that tell of a refusal, not of a failure. */
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
  /** The model's text in the newest step; `null` before there was one. */
  readonly text: string | null
  /** Names of the tools whose calls succeeded in it. */
  readonly ran: readonly string[]
  /** True if the model asked for nothing more. */
  readonly natural_end: boolean
}

type Check<K extends StopCondition['type']> = (
  condition: Extract<StopCondition, { type: K }>,
  standing: Standing,
) => string | null

const CHECKS: { readonly [K in StopCondition['type']]: Check<K> } = {
  max_rounds: ({ rounds: max }, { rounds }) => (rounds >= max ? `${rounds} of ${max} rounds were used` : null),
  timeout: ({ seconds }, { active_ms }) => outOfTime(seconds, active_ms),
  token_budget: ({ max_total }, { total_tokens }) =>
    total_tokens >= max_total ? `${total_tokens} of ${max_total} tokens were used` : null,
  consecutive_errors: ({ max }, { errors_in_row }) =>
    errors_in_row >= max ? `${errors_in_row} calls in a row failed` : null,
  stop_on_tool: ({ tool_name }, { ran }) => (ran.includes(tool_name) ? `${tool_name} ran` : null),
  content_match: ({ pattern }, { text }) =>
    text !== null && new RegExp(pattern, 'u').test(text) ? `the answer matches ${JSON.stringify(pattern)}` : null,
  loop_detection: ({ window }, { recent_calls }) => {
    const length = cycleIn(recent_calls, window)
    if (length === null) return null
    return length === 1 ? `the last ${window} calls were the same` : `the last ${window} calls repeat ${length} calls`
  },
  // The model sees the results of the last pause: `pausesUpFor` ends the run when it would pause again.
  max_pauses: () => null,
}

/** A limit does not spoil an answer that is complete without more work. */
const ENDS_AN_ANSWER: readonly StopCondition['type'][] = ['content_match']

/** The first condition in list order that holds, as the end of the run; `null` while none does. */
export function stopFor(conditions: readonly StopCondition[], standing: Standing): Termination | null {
  for (const condition of conditions) {
    if (standing.natural_end && !ENDS_AN_ANSWER.includes(condition.type)) continue
    const detail = detailOf(condition, standing)
    if (detail !== null) return { type: 'stopped', code: condition.type, detail }
  }
  return null
}

function detailOf<K extends StopCondition['type']>(
  condition: Extract<StopCondition, { type: K }>,
  standing: Standing,
): string | null {
  return (CHECKS[condition.type] as Check<K>)(condition, standing)
}

/** The end of a run that has paused as often as it may, and would pause again. */
export function pausesUpFor(conditions: readonly StopCondition[], pauses: number): Termination | null {
  const isUp = conditions.some(condition => condition.type === 'max_pauses' && pauses >= condition.pauses)
  if (!isUp) return null
  return { type: 'stopped', code: 'max_pauses', detail: `it paused ${pauses} ${pauses === 1 ? 'time' : 'times'}` }
}

/** The end of a run that is out of time, also in the middle of a step. */
export function timeoutFor(conditions: readonly StopCondition[], active_ms: number): Termination | null {
  const seconds = shortestTimeout(conditions)
  const detail = seconds === null ? null : outOfTime(seconds, active_ms)
  return detail === null ? null : { type: 'stopped', code: 'timeout', detail }
}

/** Milliseconds of work that the run may take in all, a whole number; `null` for no limit. */
export function deadlineOf(conditions: readonly StopCondition[]): number | null {
  const seconds = shortestTimeout(conditions)
  return seconds === null ? null : milliseconds(seconds)
}

function shortestTimeout(conditions: readonly StopCondition[]): number | null {
  const seconds = conditions.flatMap(condition => (condition.type === 'timeout' ? [condition.seconds] : []))
  return seconds.length === 0 ? null : Math.min(...seconds)
}

function outOfTime(seconds: number, active_ms: number): string | null {
  return active_ms >= milliseconds(seconds) ? `it was worked on for ${active_ms / 1000} of ${seconds} seconds` : null
}

/** Whole: 4.03 seconds times 1000 is a bit more than 4030, which a timer of 4030 milliseconds never reaches. */
function milliseconds(seconds: number): number {
  return Math.max(1, Math.round(seconds * 1000))
}

type Read = readonly [field: string, isValid: (value: unknown) => boolean, wanted: string]

/** The one field of each condition. */
const FIELDS: { readonly [K in StopCondition['type']]: Read } = {
  max_rounds: ['rounds', isCount, 'a whole number from 1'],
  timeout: ['seconds', isPositive, 'a number above 0'],
  token_budget: ['max_total', isCount, 'a whole number from 1'],
  consecutive_errors: ['max', isCount, 'a whole number from 1'],
  stop_on_tool: ['tool_name', value => typeof value === 'string' && value !== '', 'the name of a tool'],
  content_match: ['pattern', isPattern, 'a regular expression as JavaScript reads it with the flag u'],
  loop_detection: ['window', value => isCount(value) && value !== 1, 'a whole number from 2'],
  max_pauses: ['pauses', isCount, 'a whole number from 1'],
}

/** The fault of a stop condition that came from a file or from untyped code; `null` if it has none. */
export function objectionToStop(condition: unknown): string | null {
  if (!isRecord(condition)) return notOne(inWords(condition))
  const { type, ...given } = condition
  if (type === undefined) return notOne(`one with ${Object.keys(given).join(', ') || 'nothing'} alone`)
  if (!isType(type)) return `it stops on ${inWords(type)}; possible: ${Object.keys(FIELDS).join(', ')}`
  const [field, isValid, wanted] = FIELDS[type]
  if (!isValid(given[field])) return `${type} needs ${field}, ${wanted}, not ${inWords(given[field])}`
  const more = Object.keys(given).find(key => key !== field)
  return more === undefined ? null : `${type} takes ${field} alone, not ${inWords(more)}`
}

function notOne(what: string): string {
  return `a stop condition has a type and what that needs, like { type: max_rounds, rounds: 20 }; ${what} is none`
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A list of one name would pass for that name as a key. */
function isType(value: unknown): value is StopCondition['type'] {
  return typeof value === 'string' && Object.hasOwn(FIELDS, value)
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value > 0
}

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string' || value === '') return false
  try {
    return Boolean(new RegExp(value, 'u'))
  } catch {
    return false
  }
}
