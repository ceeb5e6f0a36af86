import { expect, test } from 'vitest'
import type { AssistantMessage, MessageCall, ToolMessage, UserMessage } from '../../core/journal/message.ts'
import { toPrompt } from './to-prompt.ts'

const user = (content: UserMessage['content']): UserMessage => ({ role: 'user', content, author: null })
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
const png = { type: 'image', media_type: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAI=' } as const
const wirePng = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: png.data } }
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

test('images and files go to the provider beside the text', () => {
  const pdf = { type: 'file', media_type: 'application/pdf', name: 'a.pdf', url: 'https://example.com/a.pdf' } as const
  expect(toPrompt(null, [user([{ type: 'text', text: 'see' }, png, pdf])])).toMatchObject([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'see' },
        wirePng,
        { mediaType: 'application/pdf', filename: 'a.pdf', data: { type: 'url', url: new URL(pdf.url) } },
      ],
    },
  ])
})

const shown = { content: 'see\n[image image/png, 26 bytes]', parts: [{ type: 'text', text: 'see' } as const, png] }

test('parts of a result go to the provider as parts', () => {
  expect(toPrompt(null, [result(shown)])).toMatchObject([
    { content: [{ output: { type: 'content', value: [{ type: 'text', text: 'see' }, wirePng] } }] },
  ])
})

test('files of results follow behind all results of their step if the API takes text alone there', () => {
  const messages = [
    assistant('', call(), call({ id: 'b' })),
    result(shown),
    result({ tool_call_id: 'b' }),
    user('and?'),
  ]
  expect(toPrompt(null, messages, { filesInResults: false })).toMatchObject([
    { role: 'assistant' },
    { role: 'tool', content: [{ output: { type: 'text', value: shown.content } }, { toolCallId: 'b' }] },
    { role: 'user', content: [{ type: 'text', text: 'From refund:' }, wirePng] },
    { role: 'user', content: [{ type: 'text', text: 'and?' }] },
  ])
})

test('thoughts go back in their place, with what the provider signed', () => {
  const metadata = { anthropic: { signature: 'abc' } }
  const content = [
    { type: 'reasoning', text: 'hm', metadata } as const,
    { type: 'tool_call', id: 'a' } as const,
    { type: 'reasoning', text: 'oh', metadata: null } as const,
    { type: 'text', text: 'So.' } as const,
  ]
  expect(toPrompt(null, [{ role: 'assistant', content, tool_calls: [call()] }])).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm', providerOptions: metadata },
        { type: 'tool-call', toolCallId: 'a', toolName: 'refund', input: {} },
        { type: 'reasoning', text: 'oh' },
        { type: 'text', text: 'So.' },
      ],
    },
  ])
})

test('thoughts alone are no message', () => {
  const content = [{ type: 'reasoning', text: 'hm', metadata: null } as const]
  expect(toPrompt(null, [{ role: 'assistant', content, tool_calls: [] }])).toEqual([])
})
