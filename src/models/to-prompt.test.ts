import { expect, test } from 'vitest'
import type { AssistantMessage, MessageCall, ToolMessage, UserMessage } from '../core/journal/message.ts'
import { toPrompt } from './to-prompt.ts'

const user = (content: string): UserMessage => ({ role: 'user', content, author: null })
const call = (more: Partial<MessageCall> = {}): MessageCall => ({
  id: 'a',
  name: 'refund',
  arguments: {},
  metadata: null,
  ...more,
})
const assistant = (content: string, ...tool_calls: MessageCall[]): AssistantMessage => ({
  role: 'assistant',
  content,
  tool_calls,
})
const result = (more: Partial<ToolMessage> = {}): ToolMessage => ({
  role: 'tool',
  tool_call_id: 'a',
  tool_name: 'refund',
  content: 'done',
  is_error: false,
  ...more,
})

test('the system text comes first, together with the system messages of the thread', () => {
  expect(toPrompt('Be brief.', [user('hi'), { role: 'system', content: 'Be kind.' }])).toEqual([
    { role: 'system', content: 'Be brief.\n\nBe kind.' },
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
  ])
})

test('without a system text there is no system message', () => {
  expect(toPrompt(null, [user('hi')])).toHaveLength(1)
  expect(toPrompt(' ', [user('hi')])).toHaveLength(1)
})

test('calls follow the text of their message, and their results share one message in order', () => {
  const messages = [assistant('Look:', call(), call({ id: 'b' })), result(), result({ tool_call_id: 'b' })]
  expect(toPrompt(null, messages)).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'tool-call', toolCallId: 'a', toolName: 'refund', input: {} },
        { type: 'tool-call', toolCallId: 'b', toolName: 'refund', input: {} },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'a', toolName: 'refund', output: { type: 'text', value: 'done' } },
        { type: 'tool-result', toolCallId: 'b', toolName: 'refund', output: { type: 'text', value: 'done' } },
      ],
    },
  ])
})

test.each([
  [{ content: 'done' }, { type: 'text', value: 'done' }],
  [{ content: { ok: true } }, { type: 'json', value: { ok: true } }],
  [{ content: null }, { type: 'json', value: null }],
  [
    { content: 'TOOL_CALL_REJECTED: too much', is_error: true },
    { type: 'error-text', value: 'TOOL_CALL_REJECTED: too much' },
  ],
  [
    { content: { code: 7 }, is_error: true },
    { type: 'error-text', value: '{"code":7}' },
  ],
])('the result %j becomes %j', (more, output) => {
  expect(toPrompt(null, [result(more)])).toMatchObject([{ content: [{ output }] }])
})

test('arguments that were broken become an empty object, which every provider accepts', () => {
  expect(toPrompt(null, [assistant('', call({ arguments: '{broken' }))])).toMatchObject([{ content: [{ input: {} }] }])
})

test('what a provider wants back with a call goes back with it', () => {
  const metadata = { google: { thoughtSignature: 'abc' } }
  expect(toPrompt(null, [assistant('', call({ metadata }))])).toMatchObject([
    { content: [{ providerOptions: metadata }] },
  ])
})

test('a message without text and calls is left out, and so is blank text beside calls', () => {
  expect(toPrompt(null, [user(' '), assistant(''), assistant('\n\n')])).toEqual([])
  expect(toPrompt(null, [assistant('\n\n', call())])).toMatchObject([{ content: [{ type: 'tool-call' }] }])
})

test('an id is written with the characters that every provider takes, and its result with the same', () => {
  const [asked, answered] = toPrompt(null, [
    assistant('', call({ id: 'fn.run:0' })),
    result({ tool_call_id: 'fn.run:0' }),
  ])
  expect(asked).toMatchObject({ content: [{ toolCallId: 'fn_2e_run_3a_0' }] })
  expect(answered).toMatchObject({ content: [{ toolCallId: 'fn_2e_run_3a_0' }] })
})
