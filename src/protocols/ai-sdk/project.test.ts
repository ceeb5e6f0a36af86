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

const beside = (part: Extract<Moment, { kind: 'beside' }>['part']) => chunksOf({ kind: 'beside', part })

test('a source and a file of an answer are parts of the AI SDK', () => {
  const page = { type: 'source', id: 's1', url: 'https://a.example', title: 'A' } as const
  expect(beside(page)).toEqual([{ type: 'source-url', sourceId: 's1', url: 'https://a.example', title: 'A' }])
  expect(beside({ type: 'source', id: 's2', media_type: 'application/pdf', name: 'a.pdf' })).toEqual([
    { type: 'source-document', sourceId: 's2', mediaType: 'application/pdf', title: 'a.pdf' },
  ])
  expect(beside({ type: 'image', media_type: 'image/png', data: 'AAAA', metadata: { google: {} } })).toEqual([
    { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA' },
  ])
})

test('a call that the provider of the model ran is one that no client is to run', () => {
  const ran = { type: 'provider_call', id: 'ws_1', name: 'web_search', arguments: { query: 'tides' } } as const
  const begun = { type: 'tool-input-available', toolCallId: 'ws_1', toolName: 'web_search', input: { query: 'tides' } }
  const ours = { toolCallId: 'ws_1', providerExecuted: true }
  expect(beside({ ...ran, result: [1] })).toEqual([
    { ...begun, providerExecuted: true },
    { type: 'tool-output-available', output: [1], ...ours },
  ])
  expect(beside({ ...ran, result: { errorCode: 'unavailable' }, is_error: true })).toEqual([
    { ...begun, providerExecuted: true },
    { type: 'tool-output-error', errorText: '{"errorCode":"unavailable"}', ...ours },
  ])
})
