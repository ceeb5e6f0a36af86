/** A column of milliseconds since 1970 as an ISO time; `null` stays `null`. */
export function isoTime(milliseconds: unknown): string | null {
  return milliseconds === null ? null : new Date(Number(milliseconds)).toISOString()
}
