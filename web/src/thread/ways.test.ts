import { expect, test } from 'vitest'
import type { Hold } from '../api/documents.ts'
import { questionIn, waysFor } from './ways.ts'

const open = (...kinds: readonly Hold['kind'][]) => kinds.map((kind, n) => ({ id: `hold_${n}`, kind }) as Hold)

test('a message is simply taken if nothing waits, or if the agent waits for just that', () => {
  expect(waysFor([])).toEqual([])
  expect(waysFor(open('input'))).toEqual([])
})

test('a question is answered, and an approval never is by mistake', () => {
  expect(waysFor(open('question', 'approval'))[0]).toBe('answer')
  expect(waysFor(open('approval'))).toEqual(['queue', 'supersede', 'reject'])
  expect(questionIn(open('question', 'question'))).toBeNull()
})
