import { expect, test } from 'vitest'
import type { Hold } from '../api/documents.ts'
import type { Recipient } from './ways.ts'
import { questionIn, waysFor } from './ways.ts'

const thread: Recipient = { kind: 'thread', threadId: 'th_1' }
const agent: Recipient = { kind: 'agent', threadId: 'th_1', id: 'task_1', status: 'running' }

const open = (...kinds: readonly Hold['kind'][]) => kinds.map((kind, n) => ({ id: `hold_${n}`, kind }) as Hold)

test('a message is simply taken if nothing waits, or if the agent waits for just that', () => {
  expect(waysFor([], thread)).toEqual([])
  expect(waysFor(open('input'), thread)).toEqual([])
  expect(waysFor([], { ...agent, status: 'parked' })).toEqual([])
})

test('a question is answered, and an approval never is by mistake', () => {
  expect(waysFor(open('question', 'approval'), thread)[0]).toBe('answer')
  expect(waysFor(open('approval'), thread)).toEqual(['queue', 'supersede', 'reject'])
  expect(questionIn(open('question', 'question'))).toBeNull()
})

test('an agent that works hears it next or at once, and one that waits may be steered', () => {
  expect(waysFor([], agent)).toEqual(['queue', 'interrupt'])
  expect(waysFor(open('approval'), { ...agent, status: 'waiting' })).toEqual(['queue', 'steer'])
  expect(waysFor(open('question'), { ...agent, status: 'waiting' })).toEqual(['answer', 'queue', 'steer'])
})
