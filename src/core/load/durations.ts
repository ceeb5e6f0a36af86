import type { Durations } from './load-report.ts'

/** In seconds: 10 s, 1 min, 5 min, 30 min, 2 h, 8 h, a day, 3 days. */
const LIMITS: readonly number[] = [10, 60, 300, 1_800, 7_200, 28_800, 86_400, 259_200]

/** Of times in seconds; `null` if there are none. */
export function durationsOf(seconds: readonly number[]): Durations | null {
  const sorted = seconds.toSorted((a, b) => a - b)
  const longest = sorted.at(-1)
  if (longest === undefined) return null
  const below = (limit: number) => sorted.filter(each => each <= limit).length
  const counts = [...LIMITS.map(below), sorted.length]
  return {
    count: sorted.length,
    median: quantile(sorted, 0.5),
    p90: quantile(sorted, 0.9),
    longest,
    spread: counts.map((count, index) => ({ up_to: LIMITS[index] ?? null, count: count - (counts[index - 1] ?? 0) })),
  }
}

/** The least of the values that so large a part does not exceed. */
function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0
}
