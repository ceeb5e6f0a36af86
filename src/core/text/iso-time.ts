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
