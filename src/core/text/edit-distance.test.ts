import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editDistance, nearestWord } from './edit-distance.ts'

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['approve', 'approve', 0],
  ['aprove', 'approve', 1],
  ['hodls', 'holds', 1],
  ['aprov', 'approve', 2],
  ['hello', 'help', 2],
  ['kitten', 'sitting', 3],
])('%s and %s are %i apart', (one, other, distance) => {
  expect(editDistance(one, other)).toBe(distance)
})

test('it is the same both ways, and never more than the longer word', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 })
  fc.assert(
    fc.property(word, word, (one, other) => {
      const distance = editDistance(one, other)
      expect(distance).toBe(editDistance(other, one))
      expect(distance).toBeLessThanOrEqual(Math.max(one.length, other.length))
      expect(distance === 0).toBe(one === other)
    }),
  )
})

test.each([
  ['aprove', 'approve'],
  ['APPROVE', 'approve'],
  ['rusn', 'runs'],
  ['hello', null],
  ['deploy', null],
])('%s is meant as %s', (written, meant) => {
  expect(nearestWord(written, ['help', 'runs', 'approve'])).toBe(meant)
})
