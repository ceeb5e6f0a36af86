import { expect, test } from 'vitest'
import type { Message } from '../journal/message.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { newestPlan, planIn, planLines, planSummary } from './plan.ts'

const READ = { step: 'read the prices', state: 'done' } as const
const CHANGE = { step: 'change them', state: 'in_progress' } as const
const TELL = { step: 'tell ana', state: 'pending' } as const
const WAIT = { step: 'wait for ben', state: 'dropped' } as const

function called(id: string, args: Json, name = 'plan'): Message {
  const call = { id, name, arguments: args as JsonObject, metadata: null }
  return { role: 'assistant', content: '', tool_calls: [call] }
}

function failed(id: string): Message {
  return { role: 'tool', tool_call_id: id, tool_name: 'plan', content: 'no', is_error: true }
}

test('the newest call that was taken is the plan', () => {
  const first = called('tc_1', { steps: [CHANGE] })
  const second = called('tc_2', { steps: [READ, CHANGE] })
  expect(newestPlan([])).toBeNull()
  expect(newestPlan([first, second])).toEqual([READ, CHANGE])
  expect(newestPlan([first, second, failed('tc_2')])).toEqual([CHANGE])
  expect(newestPlan([first, called('tc_3', { steps: [TELL] }, 'other')])).toEqual([CHANGE])
})

test.each([null, 'text', {}, { steps: 'all' }, { steps: [{ step: 'a' }] }, { steps: [{ step: 'a', state: 'soon' }] }])(
  '%j is no plan',
  args => {
    expect(planIn(args as Json)).toBeNull()
  },
)

test('a plan is told in lines, and what was dropped does not count', () => {
  const plan = [READ, CHANGE, TELL, WAIT]
  expect(planLines(plan)).toEqual(['✓ read the prices', '▸ change them', '· tell ana', '– wait for ben'])
  expect(planSummary(plan)).toBe('1 of 3 done')
  expect(planLines([{ step: 'a\u001b[2Jb\nc', state: 'pending' }])).toEqual(['· a\\u{1b}[2Jb\\u{a}c'])
})
