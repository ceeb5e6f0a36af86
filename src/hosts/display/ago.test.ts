import { expect, test } from 'vitest'
import { ago, inLocalTime } from './ago.ts'

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

const local = (...parts: [number, number, number, number, number]) => new Date(...parts).toISOString()
const NOON = new Date(2030, 2, 1, 12, 0).getTime()

test('times in a sentence are clock times of this zone, with the date if that is another day', () => {
  expect(inLocalTime(`it waits until ${local(2030, 2, 1, 14, 5)}`, NOON)).toBe('it waits until 14:05')
  expect(inLocalTime(`seen at ${local(2030, 1, 28, 9, 0)}; gone`, NOON)).toBe('seen at 2030-02-28 09:00; gone')
  expect(inLocalTime(`from ${local(2030, 2, 1, 0, 0)} to ${local(2030, 2, 2, 0, 0)}`, NOON)).toBe(
    'from 00:00 to 2030-03-02 00:00',
  )
  for (const same of ['it waits for a slot', 'issue 2030-01-01', '12:00', 'T00:00:00Z'])
    expect(inLocalTime(same, NOON)).toBe(same)
})
