import type { Hold } from '../hold/hold.ts'

/** A smaller difference is no step: clocks are corrected a little all the time. */
const JUMP_MS = 30_000

/** The clocks of one process, read together. */
export interface ClockReading {
  /** The time of the store, in milliseconds since 1970. */
  readonly now: number
  /** Milliseconds since the machine started, by the clock that nobody sets. */
  readonly steady: number
  /** Names the start of the machine; left out if it is not known. */
  readonly boot?: string | undefined
}

/**
 * Milliseconds by which the clock of the store was set forward (or back: below zero) since the hold was opened. 0 if it
 * was not, or if that is unknown: the hold is older than this field, or of another start of a machine.
 */
export function clockJump(
  { opened_at, opened_on }: Pick<Hold, 'opened_at' | 'opened_on'>,
  { now, steady, boot }: ClockReading,
): number {
  if (opened_on === undefined || opened_on.boot !== boot) return 0
  const jump = now - Date.parse(opened_at) - (steady - opened_on.steady_ms)
  return Math.abs(jump) > JUMP_MS ? Math.round(jump) : 0
}
