import { RefusedError } from '../../core/errors.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3600, d: 86_400, w: 604_800 }
/** A hundred years. A longer duration is a mistake, and no date may be so far away. */
const LONGEST_MS = 36_525 * 86_400_000
const DURATION = /^(\d{1,9})\s*(s|m|min|h|d|w)$/

/** `30d`, `12h`: in milliseconds, at most a hundred years; `null` if the text is no duration. */
function durationIn(text: string): number | null {
  const [, count, unit = ''] = DURATION.exec(text.trim()) ?? []
  const duration = count === undefined ? null : Number(count) * (UNITS[unit] ?? 0) * 1000
  return duration !== null && duration <= LONGEST_MS ? duration : null
}

/** A length of time, as an ISO time so long before `now`. @throws RefusedError `invalid_arguments` */
export function timeBefore(text: string, flag: string, now: number): string {
  const duration = durationIn(text)
  if (duration === null) throw invalid(text, flag, 'Write a length of time, like 30d, 12h or 90min.')
  return new Date(now - duration).toISOString()
}

/** A length of time before `now`, or an ISO time, as an ISO time. @throws RefusedError `invalid_arguments` */
export function timeAgo(text: string, flag: string, now: number): string {
  const duration = durationIn(text)
  if (duration !== null) return new Date(now - duration).toISOString()
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString()
  throw invalid(text, flag, 'Write a length of time, like 30d or 12h, or a time, like 2030-01-31T12:00:00Z.')
}

/** A length of time from `now` on, or an ISO time, as an ISO time. @throws RefusedError `invalid_arguments` */
export function timeAhead(text: string, flag: string, now: number): string {
  const duration = durationIn(text)
  if (duration !== null) return new Date(now + duration).toISOString()
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString()
  throw invalid(text, flag, 'Write a length of time, like 30d or 12h, or a time, like 2030-01-31T12:00:00Z.')
}

function invalid(text: string, flag: string, hint: string): RefusedError {
  return new RefusedError('invalid_arguments', `--${flag} ${JSON.stringify(text)} is no time.`, { hint })
}
