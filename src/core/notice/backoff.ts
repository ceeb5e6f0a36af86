/** A notice is tried so often before it counts as failed. */
export const MOST_TRIES = 10

const FIRST_MS = 5_000
const LONGEST_MS = 6 * 3_600_000

/**
 * Milliseconds until the next try after so many failed ones: 5 s, 20 s, 80 s … 6 h. `random` is from 0 to 1: it spreads
 * tries by a quarter, so that a receiver that comes back is not met by all at once.
 */
export function retryDelay(tries: number, random: number): number {
  const usual = Math.min(FIRST_MS * 4 ** (tries - 1), LONGEST_MS)
  return Math.round(usual * (0.875 + random / 4))
}
