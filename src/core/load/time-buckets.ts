const HOUR_SECONDS = 3_600
/** Up to so much time is drawn hour by hour, and more day by day. */
const MOST_HOURS = 72

/** In milliseconds since 1970. */
export interface Span {
  readonly since: number
  readonly until: number
}

/** Pieces of time of one length, which cover a span. */
export interface TimeBuckets {
  readonly seconds: number
  /** ISO times. */
  readonly starts: readonly string[]
  /** How many of these times are in each piece. */
  countIn(times: readonly number[]): readonly number[]
}

export function timeBuckets({ since, until }: Span): TimeBuckets {
  const isLong = until - since > MOST_HOURS * HOUR_SECONDS * 1000
  const seconds = isLong ? 24 * HOUR_SECONDS : HOUR_SECONDS
  const place = (at: number) => Math.floor(at / (seconds * 1000))
  const first = place(since)
  const length = Math.max(1, place(until - 1) - first + 1)
  return {
    seconds,
    starts: Array.from({ length }, (_, index) => new Date((first + index) * seconds * 1000).toISOString()),
    countIn: times => {
      const counts = new Array<number>(length).fill(0)
      for (const index of times.map(at => place(at) - first))
        if (index >= 0 && index < length) counts[index] = (counts[index] ?? 0) + 1
      return counts
    },
  }
}
