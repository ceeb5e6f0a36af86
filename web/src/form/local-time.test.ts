import fc from 'fast-check'
import { expect, test } from 'vitest'
import { localText, offsetOf, writtenTime } from './local-time.ts'

test('a moment is shown in the clock of the reader, and written with its distance from UTC', () => {
  const written = writtenTime('date-time', '2026-07-01T14:05')
  expect(written).toBe(`2026-07-01T14:05:00${offsetOf(new Date('2026-07-01T14:05'))}`)
  expect(localText('date-time', written)).toBe('2026-07-01T14:05:00')
  expect(writtenTime('time', '14:05:30')).toBe(`14:05:30${offsetOf(new Date())}`)
  expect(writtenTime('date', '2026-07-01')).toBe('2026-07-01')
  expect([writtenTime('time', ''), localText('date', '')]).toEqual(['', ''])
})

test('what a field cannot show exactly is no text of it', () => {
  for (const value of ['tomorrow', '2026-13-01', '2026-02-30', '26-1-1']) expect(localText('date', value)).toBeNull()
  for (const value of ['2026-07-01T14:05', '2026-07-01T14:05:00.5Z', '2026-07-01', 'now'])
    expect(localText('date-time', value)).toBeNull()
  for (const value of ['14:05:00', '14:05:00+13:37', 'noon']) expect(localText('time', value)).toBeNull()
})

test('any moment that is shown and written again is the same moment', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('1971-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }), date => {
      const second = new Date(Math.floor(date.getTime() / 1_000) * 1_000)
      const offsets = [-1, 0, 1].map(hours => offsetOf(new Date(second.getTime() + hours * 3 * 3_600_000)))
      // Where clocks are put back, an hour is there twice.
      fc.pre(new Set(offsets).size === 1)
      const local = localText('date-time', second.toISOString().replace('.000', '')) ?? ''
      expect(new Date(writtenTime('date-time', local)).getTime()).toBe(second.getTime())
    }),
  )
})
