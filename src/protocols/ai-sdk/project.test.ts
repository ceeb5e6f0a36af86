import { expect, test } from 'vitest'
import type { HoldState } from '../../core/journal/thread.ts'
import { newCall } from '../../core/run/tool-call.ts'
import type { Moment } from '../turns/moment.ts'
import { chunksOf } from './project.ts'

const call = newCall({ id: 'tc_1', name: 'ship', arguments: {} })

function told(kind: 'call.ready' | 'call.asked', hold: HoldState['kind'] | null): unknown {
  const asked = hold && { id: 'hold_1', kind: hold, call_id: 'tc_1', decision: null, withdrawn: false }
  return chunksOf({ kind, call, hold: asked } as Moment)
}

test.each(['question', 'client_tool'] as const)(
  'a call that ran here and asks by a %s hold is told to be the client’s, outright',
  kind => {
    expect(told('call.ready', null)).toMatchObject([{ type: 'tool-input-available', providerExecuted: true }])
    expect(told('call.asked', kind)).toMatchObject([
      { type: 'tool-input-available', toolCallId: 'tc_1', providerExecuted: false },
    ])
  },
)

test('a call that waits for an approval stays one of this server', () => {
  expect(told('call.asked', 'approval')).toEqual([
    { type: 'tool-approval-request', toolCallId: 'tc_1', approvalId: 'hold_1' },
  ])
})
