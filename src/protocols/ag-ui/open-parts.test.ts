import { expect, test } from 'vitest'
import type { ToolCall } from '../../core/run/tool-call.ts'
import type { AgUiEvent } from './ag-ui-event.ts'
import { OpenParts } from './open-parts.ts'

const types = (events: readonly AgUiEvent[]) => events.map(({ type }) => type)
const finished = (id: string) => ({
  kind: 'call.finished' as const,
  call: { id, name: 'work', status: 'succeeded', output: 'ok', error: null } as unknown as ToolCall,
  hold: null,
})

test('several texts of one answer are one message, which ends with the last of them', () => {
  const parts = new OpenParts(new Set())
  expect(types(parts.beginText('1', 'm'))).toEqual(['TEXT_MESSAGE_START'])
  expect(parts.beginText('2', 'm')).toEqual([])
  expect(types([...parts.say('1', 'I '), ...parts.say('2', 'am.')])).toEqual([
    ...['TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_CONTENT'],
  ])
  expect(parts.endText('1')).toEqual([])
  expect(types(parts.endText('2'))).toEqual(['TEXT_MESSAGE_END'])
  expect(parts.text).toBe('I am.')
})

test('nothing is said in a part that is not open', () => {
  const parts = new OpenParts(new Set())
  const said = [parts.say('1', 'x'), parts.endText('1'), parts.think('1', 'x'), parts.endThought('1')]
  expect([...said, parts.argue('c1', '{}'), parts.endCall('c1')].flat()).toEqual([])
})

test('a new answer ends all that is open: thoughts, texts and arguments', () => {
  const parts = new OpenParts(new Set())
  parts.beginThought('t', 'm')
  parts.beginText('1', 'm')
  parts.say('1', 'I')
  parts.beginCall('c1', 'work', 'm')
  expect(types(parts.beginAnswer())).toEqual([
    ...['REASONING_MESSAGE_END', 'REASONING_END', 'TEXT_MESSAGE_END', 'TOOL_CALL_END'],
  ])
  expect([parts.endAll(), parts.text]).toEqual([[], ''])
})

test('a call that begins again is ended, and the client has to be put right', () => {
  const parts = new OpenParts(new Set())
  parts.beginCall('c1', 'work', 'm')
  expect(parts.isTrue).toBe(true)
  expect(types(parts.beginCall('c1', 'work', 'm'))).toEqual(['TOOL_CALL_END'])
  expect([parts.isTrue, parts.argue('c1', '{}')]).toEqual([false, []])
})

test('a call that the model did not ask for after all is ended, and the client has to be put right', () => {
  const parts = new OpenParts(new Set())
  parts.beginCall('c1', 'work', 'm')
  expect(types(parts.dropCall('c1'))).toEqual(['TOOL_CALL_END'])
  expect(parts.isTrue).toBe(false)
})

test('a result ends the arguments, and one that the client gave itself is not told', () => {
  const parts = new OpenParts(new Set(['result.c2']))
  parts.beginCall('c1', 'work', 'm')
  parts.beginCall('c2', 'work', 'm')
  expect(types(parts.finishCall(finished('c1')))).toEqual(['TOOL_CALL_END', 'TOOL_CALL_RESULT'])
  expect(types(parts.finishCall(finished('c2')))).toEqual(['TOOL_CALL_END'])
})
