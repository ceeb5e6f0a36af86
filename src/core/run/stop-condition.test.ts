import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../text/json.ts'
import { objectionToStop } from './read-stop-condition.ts'
import { signatureOf } from './repetition.ts'
import {
  type Counters,
  countAnew,
  countCalls,
  countPause,
  deadlineOf,
  NO_COUNTERS,
  pausesUpFor,
  type Standing,
  type StopCondition,
  stopFor,
  timeoutFor,
} from './stop-condition.ts'
import { type CallStatus, isFinal, MAY_BECOME, type ToolCall } from './tool-call.ts'
import { NO_CALLS } from './warnings/counted-calls.ts'
import { warningsOf } from './warnings/warnings-of.ts'

const START: Standing = {
  ...{ ...NO_COUNTERS, rounds: 0, total_tokens: 0, text: '', ran: [], called: [], natural_end: false },
  in_all: { rounds: 0, total_tokens: 0, active_ms: 0 },
}

type Row = readonly [condition: StopCondition, standing: Partial<Standing>, detail: string | null]

const ROWS: readonly Row[] = [
  [{ type: 'max_rounds', rounds: 3 }, { rounds: 2 }, null],
  [{ type: 'max_rounds', rounds: 3 }, { rounds: 3 }, '3 of 3 rounds were used'],
  [{ type: 'max_rounds', rounds: 3 }, { rounds: 7 }, '7 of 3 rounds were used'],
  [{ type: 'timeout', seconds: 2 }, { active_ms: 1_999 }, null],
  [{ type: 'timeout', seconds: 2 }, { active_ms: 2_000 }, 'it was worked on for 2 of 2 seconds'],
  [{ type: 'timeout', seconds: 0.5 }, { active_ms: 1_250 }, 'it was worked on for 1.25 of 0.5 seconds'],
  [{ type: 'timeout', seconds: 4.03 }, { active_ms: 4_030 }, 'it was worked on for 4.03 of 4.03 seconds'],
  [{ type: 'timeout', seconds: 0.0001 }, { active_ms: 0 }, null],
  [{ type: 'token_budget', max_total: 100 }, { total_tokens: 99 }, null],
  [{ type: 'token_budget', max_total: 100 }, { total_tokens: 100 }, '100 of 100 tokens were used'],
  [{ type: 'token_budget', max_total: 100 }, { total_tokens: 350 }, '350 of 100 tokens were used'],
  [{ type: 'budget', usd: 2.5 }, {}, null],
  [{ type: 'budget', usd: 2.5 }, { cost_usd: 2.499999 }, null],
  [{ type: 'budget', usd: 2.5 }, { cost_usd: 2.5 }, '$2.50 of $2.50 were used'],
  [{ type: 'budget', usd: 0.02 }, { cost_usd: 3 }, '$3.00 of $0.0200 were used'],
  [{ type: 'budget', usd: 9 }, { unpriced_tokens: 12 }, '12 tokens of a model without a price were used'],
  [{ type: 'budget', usd: 1, lifetime: true }, { cost_usd: 3 }, null],
  [
    { type: 'budget', usd: 1, lifetime: true },
    { in_all: { ...START.in_all, cost_usd: 1 } },
    '$1.00 of $1.00 were used',
  ],
  [{ type: 'consecutive_errors', max: 2 }, { errors_in_row: 1 }, null],
  [{ type: 'consecutive_errors', max: 2 }, { errors_in_row: 2 }, '2 calls in a row failed'],
  [{ type: 'consecutive_errors', max: 2 }, { errors_in_row: 4 }, '4 calls in a row failed'],
  [{ type: 'stop_on_tool', tool_name: 'submit' }, { ran: [] }, null],
  [{ type: 'stop_on_tool', tool_name: 'submit' }, { ran: ['submit_draft', 'Submit'] }, null],
  [{ type: 'stop_on_tool', tool_name: 'submit' }, { ran: ['read_file', 'submit'] }, 'submit ran'],
  [{ type: 'stop_on_tool', tool_name: 'submit' }, { called: ['submit'] }, 'submit was called'],
  [{ type: 'stop_on_tool', tool_name: 'submit', on: 'success' }, { called: ['submit'] }, null],
  [{ type: 'stop_on_tool', tool_name: 'submit', on: 'success' }, { ran: ['submit'] }, 'submit ran'],
  [
    { type: 'max_rounds', rounds: 3, lifetime: true },
    { in_all: { ...START.in_all, rounds: 3 } },
    '3 of 3 rounds were used',
  ],
  [{ type: 'max_rounds', rounds: 3, lifetime: true }, { rounds: 3 }, null],
  [
    { type: 'token_budget', max_total: 9, lifetime: true },
    { in_all: { ...START.in_all, total_tokens: 9 } },
    '9 of 9 tokens were used',
  ],
  [{ type: 'content_match', pattern: 'DONE$' }, { text: 'DONE soon' }, null],
  [{ type: 'content_match', pattern: 'x*' }, { text: null }, null],
  [{ type: 'content_match', pattern: 'x*' }, { text: '' }, 'the answer matches "x*"'],
  [{ type: 'content_match', pattern: 'DONE$' }, { text: 'It is done' }, null],
  [{ type: 'content_match', pattern: 'DONE$' }, { text: 'All DONE' }, 'the answer matches "DONE$"'],
  [{ type: 'content_match', pattern: '^.$' }, { text: '😀' }, 'the answer matches "^.$"'],
  [{ type: 'loop_detection', window: 3 }, { recent_calls: ['a', 'a'] }, null],
  [{ type: 'loop_detection', window: 3 }, { recent_calls: ['b', 'a', 'a'] }, null],
  [{ type: 'loop_detection', window: 3 }, { recent_calls: ['a', 'a', 'a'] }, 'the last 3 calls were the same'],
  [{ type: 'loop_detection', window: 3 }, { recent_calls: ['b', 'a', 'a', 'a'] }, 'the last 3 calls were the same'],
  [{ type: 'loop_detection', window: 3 }, { recent_calls: ['a', 'b', 'a'] }, null],
  [{ type: 'loop_detection', window: 4 }, { recent_calls: ['a', 'b', 'a', 'b'] }, 'the last 4 calls repeat 2 calls'],
  [{ type: 'loop_detection', window: 4 }, { recent_calls: ['c', 'b', 'a', 'b'] }, null],
  [{ type: 'loop_detection', window: 5 }, { recent_calls: [...'babab'] }, 'the last 5 calls repeat 2 calls'],
  [{ type: 'loop_detection', window: 6 }, { recent_calls: [...'abcabc'] }, 'the last 6 calls repeat 3 calls'],
  [{ type: 'loop_detection', window: 6 }, { recent_calls: [...'bcabca'] }, 'the last 6 calls repeat 3 calls'],
  [{ type: 'loop_detection', window: 6 }, { recent_calls: [...'abcabd'] }, null],
  [{ type: 'max_pauses', pauses: 1 }, { pauses: 9 }, null],
]

test.each(ROWS)('%j at %j stops with: %s', (condition, standing, detail) => {
  const stopped = detail === null ? null : { type: 'stopped', code: condition.type, detail }
  expect(stopFor([condition], { ...START, ...standing })).toEqual(stopped)
})

test('the table has a row that does not hold for each, and one that holds but for max_pauses', () => {
  const kinds = (holds: boolean) =>
    new Set(ROWS.filter(([, , detail]) => (detail !== null) === holds).map(([{ type }]) => type))
  expect([kinds(true).size, kinds(false).size]).toEqual([8, 9])
})

const everything: Standing = {
  rounds: 9,
  total_tokens: 9_000,
  active_ms: 9_000,
  cost_usd: 9,
  errors_in_row: 9,
  pauses: 9,
  refused_in_row: {},
  recent_calls: Array.from({ length: 9 }, () => 'again'),
  text: 'DONE',
  ran: ['submit'],
  called: ['submit'],
  in_all: { rounds: 9, total_tokens: 9_000, active_ms: 9_000 },
  natural_end: false,
}

const ALL: readonly StopCondition[] = [
  { type: 'max_rounds', rounds: 9 },
  { type: 'timeout', seconds: 9 },
  { type: 'token_budget', max_total: 9_000 },
  { type: 'budget', usd: 9 },
  { type: 'consecutive_errors', max: 9 },
  { type: 'stop_on_tool', tool_name: 'submit' },
  { type: 'content_match', pattern: 'DONE' },
  { type: 'loop_detection', window: 9 },
]

test('of those that hold the first in the list wins, in whatever order they are', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([...ALL]), conditions => {
      expect(stopFor(conditions, everything)).toEqual(
        conditions[0] ? expect.objectContaining({ type: 'stopped', code: conditions[0].type }) : null,
      )
    }),
  )
})

test('one that does not hold leaves it to the next', () => {
  expect(stopFor([{ type: 'max_rounds', rounds: 10 }, ...ALL.slice(2)], everything)).toMatchObject({
    code: 'token_budget',
  })
})

test('of two of the same type the first that holds wins', () => {
  const conditions: readonly StopCondition[] = [20, 5, 2].map(rounds => ({ type: 'max_rounds', rounds }))
  expect(stopFor(conditions, { ...START, rounds: 6 })).toMatchObject({ detail: '6 of 5 rounds were used' })
})

test('a run without conditions is not stopped', () => {
  expect(stopFor([], everything)).toBeNull()
})

test.each(ALL)('an answer that is complete without more work is stopped by content_match alone: %j', condition => {
  const stopped = stopFor([condition], { ...everything, natural_end: true })
  expect(stopped?.type === 'stopped' ? stopped.code : null).toBe(
    condition.type === 'content_match' ? 'content_match' : null,
  )
})

test('content_match stops a complete answer also behind limits that are used up', () => {
  expect(stopFor(ALL, { ...everything, natural_end: true })).toMatchObject({ code: 'content_match' })
})

test('a run is out of time from its deadline on', () => {
  const conditions: readonly StopCondition[] = [{ type: 'timeout', seconds: 1.5 }]
  expect(timeoutFor(conditions, 1_499)).toBeNull()
  expect(timeoutFor(conditions, 1_500)).toEqual({
    type: 'stopped',
    code: 'timeout',
    detail: 'it was worked on for 1.5 of 1.5 seconds',
  })
})

test('the shortest of several timeouts is the deadline', () => {
  const conditions: readonly StopCondition[] = [
    { type: 'timeout', seconds: 20 },
    { type: 'max_rounds', rounds: 1 },
    { type: 'timeout', seconds: 3 },
  ]
  expect(deadlineOf(conditions)).toBe(3_000)
  expect(timeoutFor(conditions, 3_000)).toMatchObject({ detail: 'it was worked on for 3 of 3 seconds' })
})

test('without a timeout there is no deadline', () => {
  const others = ALL.filter(({ type }) => type !== 'timeout')
  expect(deadlineOf(others)).toBeNull()
  expect(timeoutFor(others, Number.MAX_SAFE_INTEGER)).toBeNull()
})

test('a deadline is a whole number of milliseconds at which the run is out of time, and not one before', () => {
  const milliseconds = fc.integer({ min: 1, max: 100_000_000 })
  fc.assert(
    fc.property(milliseconds, ms => {
      const conditions: readonly StopCondition[] = [{ type: 'timeout', seconds: ms / 1_000 }]
      expect(deadlineOf(conditions)).toBe(ms)
      expect(timeoutFor(conditions, ms)).not.toBeNull()
      expect(timeoutFor(conditions, ms - 1)).toBeNull()
      expect(stopFor(conditions, { ...START, active_ms: ms })).toEqual(timeoutFor(conditions, ms))
    }),
    { numRuns: 1_000 },
  )
})

function call(changes: Partial<ToolCall> = {}): ToolCall {
  return {
    id: 'call_1',
    name: 'work',
    arguments: {},
    final_arguments: {},
    status: 'succeeded',
    attempt: 1,
    allowed: true,
    grant_id: null,
    hold_id: null,
    output: null,
    error: null,
    ...changes,
  }
}

function failed(code = 'TOOL_CALL_FAILED'): ToolCall {
  return call({ status: 'failed', error: { code, message: 'no' } })
}

/** Under a detection of loops of up to nine calls. */
function counted(before: Counters, calls: readonly ToolCall[]): Counters {
  return countCalls(before, calls, ALL)
}

function errorsAfter(...calls: readonly ToolCall[]): number {
  return counted(NO_COUNTERS, calls).errors_in_row
}

test('failed calls count, one after the other and over steps', () => {
  const first = counted(NO_COUNTERS, [failed(), failed('UNKNOWN_TOOL')])
  expect(counted(first, [failed('INVALID_ARGUMENTS')]).errors_in_row).toBe(3)
})

test('a call that succeeded begins the count of errors anew', () => {
  expect(errorsAfter(failed(), failed(), call())).toBe(0)
  expect(errorsAfter(failed(), call(), failed())).toBe(1)
})

test.each(['TOOL_CALL_REJECTED', 'TOOL_CALL_FORBIDDEN', 'QUESTION_DECLINED'])(
  'a call that was refused with %s neither counts as an error nor begins the count anew',
  code => {
    expect(errorsAfter(failed(code))).toBe(0)
    expect(errorsAfter(failed(), failed(code), failed())).toBe(2)
  },
)

test.each((Object.keys(MAY_BECOME) as CallStatus[]).filter(status => status !== 'succeeded' && status !== 'failed'))(
  'a call that is %s neither counts as an error nor begins the count anew',
  status => {
    const error = isFinal(status) ? { code: 'TOOL_CALL_CANCELLED', message: 'never mind' } : null
    expect(errorsAfter(failed(), call({ status, error }), failed())).toBe(2)
  },
)

function sameAfter(...calls: readonly Pick<ToolCall, 'name' | 'arguments'>[]): number {
  const made = calls.map(({ name, arguments: args }) => call({ name, arguments: args }))
  return inRow(counted(NO_COUNTERS, made))
}

/** How often the newest call came in a row. */
function inRow({ recent_calls }: Counters): number {
  const newest = recent_calls.at(-1)
  return recent_calls.length - 1 - recent_calls.findLastIndex(each => each !== newest)
}

const look = (args: JsonObject | string, name = 'look') => ({ name, arguments: args })

test('calls are the same whatever order the keys of their arguments have', () => {
  expect(sameAfter(look({ a: 1, b: { c: [1], d: null } }), look({ b: { d: null, c: [1] }, a: 1 }))).toBe(2)
})

test.each([
  ['another name', look({ a: 1 }, 'peek')],
  ['another value', look({ a: 2 })],
  ['one more argument', look({ a: 1, b: null })],
  ['a value of another type', look({ a: '1' })],
  ['the same arguments as text that is no JSON object', look('{"a":1}')],
])('a call with %s is another one', (_, other) => {
  expect(sameAfter(look({ a: 1 }), other)).toBe(1)
})

test('a different call in between begins the count of same calls anew', () => {
  expect(sameAfter(look({}), look({}), look({}, 'peek'), look({}))).toBe(1)
  expect(sameAfter(look({}, 'peek'), look({}), look({}), look({}))).toBe(3)
})

test('the same call in the next step goes on counting', () => {
  const first = counted(NO_COUNTERS, [call(), call()])
  expect(inRow(counted(first, [call()]))).toBe(3)
})

test('calls are the same however they ended', () => {
  const calls = [call(), failed(), failed('TOOL_CALL_REJECTED'), call({ status: 'cancelled' })]
  expect(inRow(counted(NO_COUNTERS, calls))).toBe(4)
})

test('what a person put in place of the arguments does not make another call of it', () => {
  const calls = [1, 2].map(amount => call({ arguments: { amount: 9 }, final_arguments: { amount } }))
  expect(inRow(counted(NO_COUNTERS, calls))).toBe(2)
})

const anyCall = fc
  .record({
    name: fc.constantFrom('look', 'work'),
    arguments: fc.constantFrom<JsonObject | string>({}, { a: 1 }, '{'),
    status: fc.constantFrom<CallStatus>('succeeded', 'failed', 'cancelled'),
  })
  .map(changes => call(changes))

test('counting over several steps is counting over one with all of their calls', () => {
  fc.assert(
    fc.property(fc.array(fc.array(anyCall)), steps => {
      const stepwise = steps.reduce(counted, NO_COUNTERS)
      expect(stepwise).toEqual(counted(NO_COUNTERS, steps.flat()))
    }),
  )
})

test('counting leaves the time, and what was counted before, as it was', () => {
  const before: Counters = Object.freeze({
    active_ms: 1_234,
    used_before: { rounds: 1, total_tokens: 2, active_ms: 3 },
    errors_in_row: 1,
    pauses: 4,
    refused_in_row: { 'TOOL_CALL_REJECTED x': 2 },
    recent_calls: [signatureOf(call())],
  })
  const two = [...before.recent_calls, signatureOf(call())]
  expect(counted(before, [])).toEqual(before)
  expect(counted(before, [failed()])).toEqual({ ...before, errors_in_row: 2, recent_calls: two })
})

test('a run that paused as often as it may ends when it would pause again', () => {
  const twice: readonly StopCondition[] = [{ type: 'max_pauses', pauses: 2 }]
  expect([pausesUpFor(twice, 0), pausesUpFor(twice, 1), pausesUpFor(ALL, 100)]).toEqual([null, null, null])
  expect(pausesUpFor(twice, 2)).toEqual({ type: 'stopped', code: 'max_pauses', detail: 'it paused 2 times' })
  expect(pausesUpFor([...twice, { type: 'max_pauses', pauses: 1 }], 1)).toMatchObject({ detail: 'it paused 1 time' })
})

test('pauses count, and a message of a person begins their count anew', () => {
  const twice = countPause(countPause(NO_COUNTERS))
  expect(twice).toEqual({ ...NO_COUNTERS, pauses: 2 })
  expect(counted(twice, [call()]).pauses).toBe(2)
  expect(countAnew(twice, NO_COUNTERS.used_before).pauses).toBe(0)
})

test('no calls are kept for nobody who looks at them, and no more than the longest window', () => {
  const calls = Array.from({ length: 5 }, () => call())
  const windows = (...all: readonly number[]) => all.map(window => ({ type: 'loop_detection', window }) as const)
  const kept = (...all: readonly number[]) => countCalls(NO_COUNTERS, calls, windows(...all)).recent_calls.length
  expect([kept(), kept(2), kept(2, 4), kept(50)]).toEqual([0, 2, 4, 5])
})

test.each<StopCondition>([...ALL, { type: 'max_pauses', pauses: 1 }])('nothing is wrong with %j', condition => {
  expect(objectionToStop(condition)).toBeNull()
})

const types =
  'max_rounds, timeout, token_budget, budget, consecutive_errors, stop_on_tool, content_match, loop_detection, max_pauses'
const none = (what: string) =>
  `a stop condition has a type and what that needs, like { type: max_rounds, rounds: 20 }; ${what} is none`
const unknown = (type: string) => `it stops on ${type}; possible: ${types}`
const circular: Record<string, unknown> = {}
circular['type'] = circular

/** What a file or untyped code may say, and what is said of it. */
const MALFORMED: readonly (readonly [given: unknown, objection: string])[] = [
  [null, none('null')],
  [undefined, none('undefined')],
  [true, none('true')],
  [20, none('20')],
  ['max_rounds', none('"max_rounds"')],
  [[], none('a list')],
  [['max_rounds', 20], none('a list')],
  [() => null, none('a function')],
  [{}, none('one with nothing alone')],
  [{ max_rounds: 20 }, none('one with max_rounds alone')],
  [{ type: undefined, rounds: 20 }, none('one with rounds alone')],
  [{ type: null }, unknown('null')],
  [{ type: '' }, unknown('""')],
  [{ type: 'boredom' }, unknown('"boredom"')],
  [{ type: 'Max_Rounds', rounds: 1 }, unknown('"Max_Rounds"')],
  [{ type: ['max_rounds'], rounds: 1 }, unknown('a list')],
  [{ type: { type: 'max_rounds' } }, unknown('an object')],
  [{ type: 7n }, unknown('7')],
  [circular, unknown('an object')],
  ...['toString', 'constructor', 'hasOwnProperty', '__proto__'].map(
    type => [{ type, rounds: 1 }, unknown(`"${type}"`)] as const,
  ),
  ...[undefined, null, 0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 3n, true].flatMap(value => [
    [{ type: 'max_rounds', rounds: value }, `max_rounds needs rounds, a whole number from 1, not ${value}`] as const,
    [
      { type: 'token_budget', max_total: value },
      `token_budget needs max_total, a whole number from 1, not ${value}`,
    ] as const,
    [
      { type: 'consecutive_errors', max: value },
      `consecutive_errors needs max, a whole number from 1, not ${value}`,
    ] as const,
    [
      { type: 'loop_detection', window: value },
      `loop_detection needs window, a whole number from 2, not ${value}`,
    ] as const,
  ]),
  [{ type: 'max_rounds', rounds: '20' }, 'max_rounds needs rounds, a whole number from 1, not "20"'],
  [{ type: 'max_rounds', rounds: [20] }, 'max_rounds needs rounds, a whole number from 1, not a list'],
  [{ type: 'max_rounds', max: 20 }, 'max_rounds needs rounds, a whole number from 1, not undefined'],
  [{ type: 'loop_detection', window: 1 }, 'loop_detection needs window, a whole number from 2, not 1'],
  ...[undefined, null, 0, -1, Number.NaN, Number.POSITIVE_INFINITY, 5n].map(
    value => [{ type: 'timeout', seconds: value }, `timeout needs seconds, a number above 0, not ${value}`] as const,
  ),
  [{ type: 'timeout', seconds: '60' }, 'timeout needs seconds, a number above 0, not "60"'],
  [{ type: 'stop_on_tool' }, 'stop_on_tool needs tool_name, the name of a tool, not undefined'],
  [{ type: 'stop_on_tool', tool_name: '' }, 'stop_on_tool needs tool_name, the name of a tool, not ""'],
  [{ type: 'stop_on_tool', tool_name: ['a'] }, 'stop_on_tool needs tool_name, the name of a tool, not a list'],
  ...['', '(', '[a', 'a{2,1}', '\\-', '(?<a'].map(
    pattern =>
      [
        { type: 'content_match', pattern },
        `content_match needs pattern, a regular expression as JavaScript reads it with the flag u, not ${JSON.stringify(pattern)}`,
      ] as const,
  ),
  [
    { type: 'content_match', pattern: /a/ },
    'content_match needs pattern, a regular expression as JavaScript reads it with the flag u, not an object',
  ],
  [{ type: 'max_rounds', rounds: 1, max: 2 }, 'max_rounds takes rounds and lifetime, not "max"'],
  [{ type: 'timeout', seconds: 1, code: 'x' }, 'timeout takes seconds and lifetime, not "code"'],
  [{ type: 'timeout', seconds: 1, toString: 'x' }, 'timeout takes seconds and lifetime, not "toString"'],
  [JSON.parse('{"type":"timeout","seconds":1,"__proto__":1}'), 'timeout takes seconds and lifetime, not "__proto__"'],
  ...[0, -1, 1.5, '2', undefined].map(
    pauses =>
      [
        { type: 'max_pauses', pauses },
        `max_pauses needs pauses, a whole number from 1, not ${pauses === '2' ? '"2"' : pauses}`,
      ] as const,
  ),
]

test('what only JavaScript can try is tried within the deadline that is given, and found only so', () => {
  const stop = [{ type: 'content_match', pattern: '^(?!no)' }] as const
  const standing = { ...everything, natural_end: true, text: 'yes' }
  expect(stopFor(stop, standing)).toBe(null)
  expect(stopFor(stop, { ...standing, tryPattern: () => true })).toMatchObject({ code: 'content_match' })
  expect(
    warningsOf({
      refused: NO_CALLS,
      observed: NO_CALLS,
      repairs: [],
      switches: [],
      unsummarized: null,
      left_out: new Map(),
      warned: new Map(),
      profile: { stop },
    }),
  ).toMatchObject([{ code: 'irregular_pattern' }])
})

test.each(MALFORMED)('%o is refused, and the refusal says why', (given, objection) => {
  expect(objectionToStop(given)).toBe(objection)
})

test('whatever is given, a malformed condition is refused with words and never with an exception', () => {
  const near = fc.record({ type: fc.constantFrom(...ALL.map(({ type }) => type)), max: fc.anything() })
  fc.assert(
    fc.property(fc.oneof(fc.anything(), near), given => {
      const objection = objectionToStop(given)
      expect(objection === null || objection.length > 20).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

test('what is not refused can be evaluated', () => {
  const value = fc.oneof(fc.integer(), fc.double(), fc.string(), fc.constantFrom('(', '.', 1, 2))
  const field = fc.constantFrom('rounds', 'seconds', 'max_total', 'max', 'tool_name', 'pattern', 'window')
  const given = fc.tuple(fc.constantFrom(...ALL), field, value)
  fc.assert(
    fc.property(given, ([condition, name, changed]) => {
      const changedCondition = { ...condition, [name]: changed }
      if (objectionToStop(changedCondition) !== null) return
      const stopped = stopFor([changedCondition], START)
      expect([null, { type: 'stopped', code: condition.type, detail: expect.any(String) }]).toContainEqual(stopped)
    }),
    { numRuns: 2_000 },
  )
})

test('a run without any condition stops after 200 rounds for one message', () => {
  expect(stopFor([], { ...START, rounds: 199 })).toBeNull()
  expect(stopFor([], { ...START, rounds: 200 })).toMatchObject({ code: 'max_rounds' })
})

test('a time over the whole run is not given anew with a message', () => {
  const lasting: StopCondition = { type: 'timeout', seconds: 5, lifetime: true }
  expect([deadlineOf([lasting], 4_000), deadlineOf([{ type: 'timeout', seconds: 5 }], 4_000)]).toEqual([5_000, 9_000])
})

test.each([
  [{ type: 'max_rounds', rounds: 3, lifetime: 'yes' }, /lifetime, true or false/],
  [{ type: 'stop_on_tool', tool_name: 'submit', on: 'failure' }, /on, call or success/],
  [{ type: 'loop_detection', window: 3, lifetime: true }, /window alone/],
])('%j is refused by its field', (condition, problem) => {
  expect(objectionToStop(condition)).toMatch(problem)
})
