import { createHash, timingSafeEqual } from 'node:crypto'
import type { Caller, Gate } from './gate.ts'

/** A server with a single token: every request that bears it is from the same caller. */
export function oneToken(token: string, caller: Caller): Gate['identify'] {
  return async ({ kind, text }) => (kind === 'token' && isSame(text, token) ? caller : null)
}

/** Takes as long for any two texts. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
