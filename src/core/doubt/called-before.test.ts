import { expect, test } from 'vitest'
import { newCall, outcomeUnknown } from '../run/tool-call.ts'
import { calledBefore, calledBeforeText, type EndedCall, endedCall } from './called-before.ts'

const AT = '2026-01-02T03:04:05.000Z'
const call = newCall({ id: 'tc_1', name: 'pay', arguments: { order: '7', limit: 1 } })
const running = { ...call, status: 'running', attempt: 1 } as const

function ended(status: 'succeeded' | 'failed' | 'cancelled', error: { code: string; message: string } | null = null) {
  return endedCall(running, null, { status, error, at: AT }) as EndedCall
}

test('P11: a call is told how the same call ended, whatever the order of its arguments', () => {
  const again = newCall({ id: 'tc_2', name: 'pay', arguments: { limit: 1, order: '7' } })
  const [before] = calledBefore([ended('succeeded')], again)
  expect(before).toEqual({ ended: 'succeeded', times: 1, call_id: 'tc_1', code: null, at: AT })
  expect(before && calledBeforeText(before)).toBe(`This very call succeeded at ${AT} (tc_1).`)
})

test('P11: what was stopped may have had its effect, and what threw failed', () => {
  const texts = [ended('failed', { code: 'TOOL_FAILED', message: 'no' }), ended('cancelled', outcomeUnknown('ana did'))]
  const again = { ...call, id: 'tc_2' }
  expect(calledBefore([...texts, ended('failed', outcomeUnknown('x'))], again).map(calledBeforeText)).toEqual([
    `This very call was stopped, and may have had its effect, 2 times, the last time at ${AT} (tc_1).`,
    `This very call failed at ${AT} with TOOL_FAILED (tc_1).`,
  ])
})

test('a call with other arguments, of another tool, that never ran, or the call itself is no earlier one', () => {
  const all = [ended('succeeded')]
  expect(calledBefore(all, { ...call, id: 'tc_2', final_arguments: { order: '8', limit: 1 } })).toEqual([])
  expect(calledBefore(all, { ...call, id: 'tc_2', name: 'refund' })).toEqual([])
  expect(calledBefore(all, call)).toEqual([])
  const error = { code: 'TOOL_CALL_REJECTED', message: 'no' }
  expect(endedCall({ ...call, status: 'resuming' }, null, { status: 'failed', error, at: AT })).toBeNull()
  expect(
    endedCall(running, null, { status: 'failed', error: { ...error, code: 'TOOL_CALL_NOT_BEGUN' }, at: AT }),
  ).toBeNull()
})
