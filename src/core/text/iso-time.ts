const ISO_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

/** A sentence with each ISO time in it as `said` writes it. */
export function withTimes(text: string, said: (time: string) => string): string {
  return text.replaceAll(ISO_TIME, said)
}

let last = Number.NaN
let text = ''

/**
 * Milliseconds as ISO time. Writes of one step mostly share a millisecond, and each conversion takes microseconds: so
 * the last text is kept.
 */
export function isoTime(milliseconds: number): string {
  if (milliseconds !== last) {
    text = new Date(milliseconds).toISOString()
    last = milliseconds
  }
  return text
}
