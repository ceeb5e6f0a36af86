import { expect, test } from 'vitest'
import { timeAhead, timeBefore } from './flag-values.ts'

const NOW = Date.parse('2030-01-31T00:00:00.000Z')

test.each([
  ['30d', '2030-01-01T00:00:00.000Z'],
  ['2w', '2030-01-17T00:00:00.000Z'],
  ['12 h', '2030-01-30T12:00:00.000Z'],
  ['90min', '2030-01-30T22:30:00.000Z'],
  ['90m', '2030-01-30T22:30:00.000Z'],
  ['1s', '2030-01-30T23:59:59.000Z'],
  ['0d', '2030-01-31T00:00:00.000Z'],
])('%j ago is %s', (text, time) => {
  expect(timeBefore(text, 'older-than', NOW)).toBe(time)
})

test.each(['', 'd', '30', '-1d', '1.5h', '30 days', '1y', '2030-01-01', '999999999w'])(
  '%j is no length of time',
  text => {
    expect(() => timeBefore(text, 'older-than', NOW)).toThrow(expect.objectContaining({ code: 'invalid_arguments' }))
  },
)

test('what is to come is a length of time, or a time', () => {
  expect(timeAhead('1d', 'expires', NOW)).toBe('2030-02-01T00:00:00.000Z')
  expect(timeAhead('2030-03-01', 'expires', NOW)).toBe('2030-03-01T00:00:00.000Z')
  expect(timeAhead('2030-03-01T12:00:00+02:00', 'expires', NOW)).toBe('2030-03-01T10:00:00.000Z')
})

test.each(['', 'tomorrow', '7', '2030-13-01', '999999999d'])('%j is no time to come', text => {
  expect(() => timeAhead(text, 'expires', NOW)).toThrow(expect.objectContaining({ code: 'invalid_arguments' }))
})
