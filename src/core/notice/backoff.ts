/** A notice is tried so often before it counts as failed. */
export const MOST_TRIES = 10

const FIRST_MS = 5_000
const LONGEST_MS = 6 * 3_600_000

const SHORTEST_PAUSE_MS = 1_000

/**
 * The pause that a receiver asked for, in milliseconds, within bounds. A value that is no time, too short or too long
 * cannot be meant: clocks differ, and headers have mistakes.
 */
export function askedDelay(ms: number): number {
  return Number.isNaN(ms) ? FIRST_MS : Math.min(Math.max(ms, SHORTEST_PAUSE_MS), LONGEST_MS)
}

/**
 * Milliseconds until the next try after so many failed ones: 5 s, 20 s, 80 s … 6 h. `random` is from 0 to 1: it spreads
 * tries by a quarter, so that a receiver that recovers does not get all of them at once.
 */
export function retryDelay(tries: number, random: number): number {
  const usual = Math.min(FIRST_MS * 4 ** (tries - 1), LONGEST_MS)
  return Math.round(usual * (0.875 + random / 4))
}
