/** A column of milliseconds since 1970 as an ISO time; `null` stays `null`. */
export function isoTimeOrNull(milliseconds: unknown): string | null {
  return milliseconds === null ? null : new Date(Number(milliseconds)).toISOString()
}

export function millisecondsOrNull(time: string | null): number | null {
  return time === null ? null : Date.parse(time)
}
