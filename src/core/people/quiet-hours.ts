/** The hours of each day in which a person gets no notice, in their own time zone. */
export interface QuietHours {
  /** Minutes since midnight. If `from` is later than `until`, they go over midnight. */
  readonly from: number
  readonly until: number
  /** The IANA name: `Europe/Berlin`. */
  readonly zone: string
}

const FORM = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d) (\S+)$/

/** `22:00-07:00 Europe/Berlin`; `null` if it is none. */
export function readQuietHours(text: string): QuietHours | null {
  const [, fromHour, fromMinute, untilHour, untilMinute, zone = ''] = FORM.exec(text) ?? []
  const from = Number(fromHour) * 60 + Number(fromMinute)
  const until = Number(untilHour) * 60 + Number(untilMinute)
  return isZone(zone) && from !== until ? { from, until, zone } : null
}

/** When the quiet hours that hold at `now` are over; `now` itself outside of them. Milliseconds since 1970. */
export function afterQuiet(quiet: QuietHours, now: number): number {
  const minute = minuteOf(now, quiet.zone)
  if (!isWithin(quiet, minute)) return now
  const left = (quiet.until - minute + DAY) % DAY
  const end = startOfMinute(now) + left * MINUTE_MS
  // The clocks may change in that night: then the end is up to some hours off, and is put right.
  const off = quiet.until - minuteOf(end, quiet.zone)
  const corrected = end + (Math.abs(off) < DAY / 2 ? off : off - Math.sign(off) * DAY) * MINUTE_MS
  // A night in spring lacks an hour: an end within that hour moves to the first minute after it.
  let over = Math.max(corrected, now)
  while (isWithin(quiet, minuteOf(over, quiet.zone))) over = startOfMinute(over) + MINUTE_MS
  return over
}

const DAY = 1_440
const MINUTE_MS = 60_000

function isWithin({ from, until }: QuietHours, minute: number): boolean {
  return from < until ? minute >= from && minute < until : minute >= from || minute < until
}

function startOfMinute(now: number): number {
  return now - (now % MINUTE_MS)
}

function minuteOf(now: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(now)
  const part = (type: string) => Number(parts.find(each => each.type === type)?.value)
  return part('hour') * 60 + part('minute')
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: zone })
    return zone !== ''
  } catch {
    return false
  }
}
