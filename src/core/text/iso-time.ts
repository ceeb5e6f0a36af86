let last = Number.NaN
let text = ''

/** Milliseconds as ISO time. What one step writes is mostly of the same millisecond, and each conversion takes microseconds. */
export function isoTime(milliseconds: number): string {
  if (milliseconds !== last) {
    text = new Date(milliseconds).toISOString()
    last = milliseconds
  }
  return text
}
