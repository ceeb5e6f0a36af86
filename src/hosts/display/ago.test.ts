import { expect, test } from 'vitest'
import { ago } from './ago.ts'

const NOW = Date.parse('2030-03-01T12:00:00.000Z')

test.each([
  ['2030-03-01T11:59:30.000Z', 'just now'],
  ['2030-03-01T12:00:05.000Z', 'just now'],
  ['2030-03-01T11:57:00.000Z', '3 min ago'],
  ['2030-03-01T10:30:00.000Z', '1 h ago'],
  ['2030-02-27T12:00:00.000Z', '2 d ago'],
  ['2029-12-31T12:00:00.000Z', '2029-12-31'],
])('%s is %s', (time, words) => {
  expect(ago(time, NOW)).toBe(words)
})
