import type { Interactive } from '../settings/interactive-settings.ts'

/**
 * The facts that the idle clock of one agent reads. Times are in milliseconds by one clock, which is the steady one in
 * the agent's own process. `null`: it never happened.
 */
export interface IdleFacts {
  /** Since when its run waits for the next message and nothing else; `null` if it does not. */
  readonly idle_since: number | null
  readonly last_input_at: number | null
  readonly last_left_at: number | null
  /** How many are attached. */
  readonly clients: number
}

/**
 * The time at which an agent has been idle for too long, by the clock of the facts; `null`: not while nothing changes.
 * An open hold and a client that watches stop the clock. A turn may take longer than the
 * timeout, so the clock never begins before the turn has ended.
 */
export function idleEndsAt(facts: IdleFacts, { idle_timeout_ms }: Pick<Interactive, 'idle_timeout_ms'>): number | null {
  const { idle_since, last_input_at, last_left_at, clients } = facts
  if (idle_timeout_ms === 0 || idle_since === null || clients > 0) return null
  return Math.max(idle_since, last_input_at ?? idle_since, last_left_at ?? idle_since) + idle_timeout_ms
}
