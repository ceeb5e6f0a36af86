import { expect, test } from 'vitest'
import { aDecision } from '../../testing/contracts/sample-journal.ts'
import type { Message } from '../journal/message.ts'
import { decidedCall } from '../run/context/decided-calls.ts'
import { type Carrying, carriedText } from './carried.ts'

const said = (content: string): Message => ({ role: 'user', content, author: 'ana' })
const called = (id: string): Message[] => [
  { role: 'assistant', content: '', tool_calls: [{ id, name: 'deploy', arguments: {}, metadata: null }] },
  { role: 'tool', tool_call_id: id, tool_name: 'deploy', content: 'done', is_error: false },
]
const rejected = (id: string, reason: string) =>
  decidedCall({ id, name: 'deploy', arguments: { to: id } }, aDecision('reject', { reason }))

const messages = [said('Deploy it.'), ...called('a'), said('Not to the east.'), ...called('b'), ...called('c')]

const carrying = (changes: Partial<Carrying> = {}): Carrying => ({
  ...{ messages, to: 6, task: { content: 'Deploy it.' }, decided: [], ended: [], window: 10_000 },
  ...changes,
})

test('the task, the words of people and their decisions about folded calls are carried word for word', () => {
  const decided = [rejected('a', 'Not on a Friday.'), rejected('c', 'Not yet.')]
  expect(carriedText(carrying({ decided }))).toBe(
    [
      'The task, as it was given:\nDeploy it.',
      'What people said since, in their words:\n- ana: Not to the east.',
      'What people decided about calls. It still holds:\n- ana rejected deploy {"to":"a"} (call a): Not on a Friday.',
    ].join('\n\n'),
  )
})

test('of decisions that fill more than a fifth of the window the oldest are named by their calls', () => {
  const decided = [rejected('a', 'x'.repeat(900)), rejected('b', 'Not again.')]
  const text = carriedText(carrying({ decided, window: 500 }))
  expect(text).toContain('- Older ones, which read_result shows by call_id: a\n- ana rejected deploy {"to":"b"}')
  expect(text).not.toContain('xxx')
})

test('a call that may have had its effect is told as in doubt, and one that is still sent is not', () => {
  const ended = ['a', 'c'].map(id => ({
    ...{ id, name: 'deploy', arguments: { to: id }, ended: 'unknown' as const },
    ...{ code: null, at: '2030-01-01T00:00:00.000Z' },
  }))
  const text = carriedText(carrying({ ended, task: null }))
  expect(text).toContain(
    'In doubt: these calls had started, and may have had their effect:\n- deploy {"to":"a"} (call a)',
  )
  expect(text).not.toContain('call c')
})
