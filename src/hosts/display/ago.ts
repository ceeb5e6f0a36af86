import { durationText } from '../../core/text/duration-text.ts'
import { withTimes } from '../../core/text/iso-time.ts'
import { systemClock } from '../process/system-clock.ts'

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
]

/** A date is clearer than a count of more days. */
const DAYS = 30

/** A time as seen from `now`, milliseconds since 1970: `just now`, `3 min ago`, `2 d ago`; the date of a time long ago. */
export function ago(time: string, now: number): string {
  const seconds = (now - Date.parse(time)) / 1000
  if (seconds > DAYS * 86_400) return time.slice(0, '2030-01-31'.length)
  const unit = UNITS.find(([length]) => seconds >= length)
  return unit ? `${Math.floor(seconds / unit[0])} ${unit[1]} ago` : 'just now'
}

/** Milliseconds for people who wait: `2.1 s`, `41 s`, `3 min`. Empty below a second, which needs no words. */
export function shortTime(milliseconds: number): string {
  if (milliseconds < 1000) return ''
  return milliseconds < 10_000 ? `${(milliseconds / 1000).toFixed(1)} s` : durationText(milliseconds)
}

/** A token or a standing approval: given by people, and revocable. Times are ISO times. */
interface Given {
  readonly revoked_at: string | null
  readonly revoked_by: string | null
  readonly expires_at: string | null
}

export function stateOf({ revoked_at, revoked_by, expires_at }: Given): string {
  if (revoked_at !== null) return `revoked by ${revoked_by}`
  return expires_at !== null && Date.parse(expires_at) <= systemClock.now() ? 'expired' : 'valid'
}

/** `in 3 d`, `2 d ago`, as seen from `now`, milliseconds since 1970; `null` for what does not expire. */
export function whenExpires(time: string | null, now: number): string | null {
  if (time === null) return null
  const left = Date.parse(time) - now
  return left > 0 ? `in ${durationText(left)}` : ago(time, now)
}

/** The ISO times in a sentence, as people read them: `it waits for the provider until 14:05`. */
export function inLocalTime(text: string, now: number = systemClock.now()): string {
  return withTimes(text, time => nextClockTime(time, now))
}

/** `14:05` in the zone of this machine, with the date if that is not today: `2030-01-31 14:05`. */
export function nextClockTime(at: string, now: number = systemClock.now()): string {
  const time = new Date(at)
  if (time.toDateString() === new Date(now).toDateString()) return clockTime(at)
  const day = [time.getFullYear(), time.getMonth() + 1, time.getDate()].map(part => String(part).padStart(2, '0'))
  return `${day.join('-')} ${clockTime(at)}`
}

/** `14:05` in the zone of this machine. */
export function clockTime(at: string): string {
  const time = new Date(at)
  return `${String(time.getHours()).padStart(2, '0')}:${String(time.getMinutes()).padStart(2, '0')}`
}
