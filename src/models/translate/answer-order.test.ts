import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import { AnswerOrder } from './answer-order.ts'

function said(...parts: readonly LanguageModelV4StreamPart[]): unknown {
  const order = new AnswerOrder('openai_responses')
  for (const part of parts) order.take(part)
  return order.said().parts
}

const text = (id: string, delta: string): LanguageModelV4StreamPart => ({ type: 'text-delta', id, delta })
const call: LanguageModelV4StreamPart = { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{}' }
const metadata = (itemId: string, more = {}) => ({ openai: { itemId, ...more } })

test('texts and calls alone need no parts', () => {
  expect(said(text('0', 'Hello'), call, text('1', 'there'))).toBe(undefined)
})

test('texts keep what the provider wants back with them, and stay apart for it', () => {
  const phase = { phase: 'commentary' }
  expect(
    said(
      { type: 'text-start', id: 'msg_1', providerMetadata: metadata('msg_1') },
      text('msg_1', 'One. '),
      text('msg_1', 'Two.'),
      { type: 'text-end', id: 'msg_1', providerMetadata: metadata('msg_1', phase) },
      { type: 'text-start', id: 'msg_2', providerMetadata: metadata('msg_2') },
      text('msg_2', 'Three.'),
      call,
    ),
  ).toEqual([
    { type: 'text', text: 'One. Two.', metadata: metadata('msg_1', phase) },
    { type: 'text', text: 'Three.', metadata: metadata('msg_2') },
    { type: 'tool_call', id: 'a' },
  ])
})

test('a signature that comes with an empty piece belongs to the text before it', () => {
  const google = { google: { thoughtSignature: 'signed' } }
  expect(said(text('0', 'Hello'), { type: 'text-delta', id: '0', delta: '', providerMetadata: google })).toEqual([
    { type: 'text', text: 'Hello', metadata: google },
  ])
})

test('texts in a row beside thoughts are one, and a used id begins anew', () => {
  expect(
    said(
      { type: 'reasoning-delta', id: '0', delta: 'Hm.' },
      text('0', 'One. '),
      { type: 'text-end', id: '0' },
      text('0', 'Two.'),
      call,
      text('0', 'Three.'),
    ),
  ).toEqual([
    { type: 'reasoning', text: 'Hm.', metadata: null },
    { type: 'text', text: 'One. Two.' },
    { type: 'tool_call', id: 'a' },
    { type: 'text', text: 'Three.' },
  ])
})
