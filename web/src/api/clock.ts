/** The time of the server, in milliseconds since 1970. A deadline passes by its clock, not by that of this machine. */
export function serverNow(): number {
  return Date.now() + offsetMs
}

let offsetMs = 0

/** `Date` has whole seconds: a smaller difference is none. */
const RESOLUTION_MS = 1_000

export function noteServerTime({ headers }: Response): void {
  const stated = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(stated)) return
  const difference = stated + RESOLUTION_MS / 2 - Date.now()
  if (Math.abs(difference - offsetMs) > RESOLUTION_MS) offsetMs = difference
}
