import { expect, test } from 'vitest'
import { conversationOf, type Message } from './conversation.ts'

const message = (id: string, more: Partial<Message>): Message => ({
  ...{ id, seq: 1, at: '', role: 'assistant', content: '', author: null, reply_to: null, checkpoint_id: null },
  ...{ requires_response: false, hold_id: null, tool_calls: null, tool_call_id: null },
  ...more,
})
const call = (id: string) => ({ id, name: 'work', arguments: {}, metadata: null })

test('the result of a call stands with its call, and one of a call that is not here by itself', () => {
  const entries = conversationOf([
    message('m1', { tool_calls: [call('a'), call('b')] }),
    message('m2', { role: 'tool', tool_call_id: 'a', content: 'done' }),
    message('m3', { role: 'tool', tool_call_id: 'elsewhere', content: 'odd' }),
  ])
  expect(entries.map(entry => entry.message.id)).toEqual(['m1', 'm3'])
  expect(entries[0]?.calls.map(({ id, result }) => [id, result?.content ?? null])).toEqual([
    ['a', 'done'],
    ['b', null],
  ])
})
