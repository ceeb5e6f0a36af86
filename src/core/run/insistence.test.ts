import { expect, test } from 'vitest'
import { countRefusals, ENOUGH_REFUSALS, type Refusals, timesRefused } from './insistence.ts'
import { newCall, type ToolCall } from './tool-call.ts'

const NOBODY: ReadonlySet<string> = new Set()

function called(id: string, changes: Partial<ToolCall> = {}, command = 'rm x'): ToolCall {
  const call = newCall({ id, name: 'run', arguments: { command } })
  return {
    ...call,
    status: 'failed',
    error: { code: 'TOOL_CALL_FORBIDDEN', message: 'policy says never.' },
    ...changes,
  }
}

function counted(steps: readonly (readonly ToolCall[])[], decided = NOBODY): Refusals {
  return steps.reduce<Refusals>((before, calls) => countRefusals(before, calls, decided), {})
}

const worked = called('w', { status: 'succeeded', error: null }, 'ls')
const times = (refusals: Refusals, code = 'TOOL_CALL_FORBIDDEN') => timesRefused(refusals, called('x'), code)

test.each<readonly [steps: readonly (readonly ToolCall[])[], times: number]>([
  [[], 0],
  [[[called('1')]], 1],
  [[[called('1')], [called('2')], [called('3')]], ENOUGH_REFUSALS],
  // The model has heard of no refusal before its step is over.
  [[[called('1'), called('2'), called('3')]], 1],
  [[[called('1')], [worked], [called('2')]], 1],
  [[[called('1')], [worked, called('2')]], 1],
  [[[called('1')], [], [called('2')]], 2],
  // What fails by itself is nothing that works.
  [[[called('1')], [called('f', { attempt: 1 }, 'ls')], [called('2')]], 2],
  // Two calls by turns are two that it insists on.
  [[[called('1')], [called('o', {}, 'rm y')], [called('2')], [called('p', {}, 'rm y')]], 2],
  // It had begun, so it was not refused.
  [[[called('1', { attempt: 1 })]], 0],
  [[[called('1', { status: 'cancelled' })]], 0],
])('%j leaves a count of %i', (steps, expected) => {
  expect(times(counted(steps))).toBe(expected)
})

test('the count of a call begins with the decision of a person', () => {
  const three = counted([[called('1')], [called('2')], [called('3')]])
  expect(times(countRefusals(three, [called('4')], new Set(['4'])))).toBe(1)
  expect(times(countRefusals(three, [called('4')], new Set(['other'])))).toBe(4)
})

test('a refusal of another kind is counted by itself', () => {
  const refusals = counted([[called('1')], [called('2', { error: { code: 'TOOL_CALL_REJECTED', message: 'no.' } })]])
  expect([times(refusals), times(refusals, 'TOOL_CALL_REJECTED'), times(refusals, 'constructor')]).toEqual([1, 1, 0])
})

test('of a model that asks for something else each time, the newest calls alone are remembered', () => {
  const steps = Array.from({ length: 500 }, (_, n) => [called(`${n}`, {}, `rm ${n}`)])
  const refusals = counted([[called('first')], ...steps])
  expect([Object.keys(refusals).length, times(refusals)]).toEqual([64, 0])
})
