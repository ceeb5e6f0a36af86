import { expect, test } from 'vitest'
import { placeOfId } from './place-of-id.ts'

test.each([
  ['hold_1f2', '/holds/hold_1f2'],
  ['th_x-1', '/threads/th_x-1'],
  ['task_1', '/tasks/task_1'],
  ['grant_1', null],
  ['run it', null],
  ['constructor_x', null],
])('%j is shown at %j', (words, place) => {
  expect(placeOfId(words)).toBe(place)
})
