import { expect, test } from 'vitest'
import { afterQuiet, readQuietHours } from './quiet-hours.ts'

const after = (hours: string, now: string) => {
  const quiet = readQuietHours(hours)
  return quiet && new Date(afterQuiet(quiet, Date.parse(now))).toISOString()
}

test.each([
  ['22:00-07:00 Europe/Berlin', '2030-01-15T20:59:59.000Z', '2030-01-15T20:59:59.000Z'],
  ['22:00-07:00 Europe/Berlin', '2030-01-15T21:00:00.000Z', '2030-01-16T06:00:00.000Z'],
  ['22:00-07:00 Europe/Berlin', '2030-01-16T05:59:30.000Z', '2030-01-16T06:00:00.000Z'],
  ['22:00-07:00 Europe/Berlin', '2030-01-16T06:00:00.000Z', '2030-01-16T06:00:00.000Z'],
  ['12:00-13:30 Asia/Kolkata', '2030-01-16T07:00:00.000Z', '2030-01-16T08:00:00.000Z'],
  ['12:00-13:30 UTC', '2030-01-16T14:00:00.000Z', '2030-01-16T14:00:00.000Z'],
])('in the quiet hours %s, what comes at %s waits until %s', (hours, now, then) => {
  expect(after(hours, now)).toBe(then)
})

test.each([
  ['2030-03-30T22:00:00.000Z', '2030-03-31T05:00:00.000Z'],
  ['2030-10-26T21:00:00.000Z', '2030-10-27T06:00:00.000Z'],
])('in a night in which the clocks change, the quiet from %s ends at seven on the new clock', (now, then) => {
  expect(after('22:00-07:00 Europe/Berlin', now)).toBe(then)
})

test.each(['22-07 Europe/Berlin', '22:00-07:00', '24:00-07:00 UTC', '22:00-07:00 Europe/Nowhere', '08:00-08:00 UTC'])(
  '%s is no such setting',
  hours => {
    expect(readQuietHours(hours)).toBeNull()
  },
)

test.each([
  // 02:30 is not there in the night to 2030-03-31: 02:00 is 03:00, which is 01:00 UTC.
  ['2030-03-30T22:00:00.000Z', '22:00-02:30 Europe/Berlin'],
  ['2030-03-31T00:45:00.000Z', '22:00-02:30 Europe/Berlin'],
  ['2030-03-31T00:59:30.000Z', '01:00-02:59 Europe/Berlin'],
])('quiet hours at %s that end in the missing hour of spring (%s) end behind it', (now, hours) => {
  const quiet = readQuietHours(hours)
  if (!quiet) throw new TypeError('these are no quiet hours')
  expect(new Date(afterQuiet(quiet, Date.parse(now))).toISOString()).toBe('2030-03-31T01:00:00.000Z')
})
