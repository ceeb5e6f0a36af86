const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
]

/** After so many days a date says more. */
const DAYS = 30

/** A time as seen from `now`, milliseconds since 1970: `just now`, `3 min ago`, `2 d ago`; the date of a time long ago. */
export function ago(time: string, now: number): string {
  const seconds = (now - Date.parse(time)) / 1000
  if (seconds > DAYS * 86_400) return time.slice(0, '2030-01-31'.length)
  const unit = UNITS.find(([length]) => seconds >= length)
  return unit ? `${Math.floor(seconds / unit[0])} ${unit[1]} ago` : 'just now'
}
