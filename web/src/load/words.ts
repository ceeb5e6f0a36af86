const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400
const HOUR_DIGITS = 13

/** `12 s`, `4 min`, `2.5 h`, `3 d`: one unit, of a length in seconds. */
export function lengthName(seconds: number): string {
  if (seconds < MINUTE) return `${Math.round(seconds)} s`
  if (seconds < HOUR) return `${Math.round(seconds / MINUTE)} min`
  return seconds < DAY ? `${short(seconds / HOUR)} h` : `${short(seconds / DAY)} d`
}

function short(count: number): number {
  return Number(count.toFixed(1))
}

/** The start of a piece of time, in UTC as the server counts: `23 Nov`, `23 Nov, 14:00`. */
export function bucketName(at: string, seconds: number): string {
  const day = new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
  return seconds < DAY ? `${day}, ${at.slice('2030-01-01T'.length, HOUR_DIGITS)}:00` : day
}

/** `3 holds`, `1 hold`. */
export function counted(count: number, one: string, several: string = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : several}`
}
