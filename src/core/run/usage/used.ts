import type { Amount } from '../../count.ts'
import { inSmallestParts } from './cost.ts'
import type { Dollars } from './usage.ts'

/** A share of the budgets of a run. */
export interface Used {
  readonly rounds: Amount
  readonly total_tokens: Amount
  readonly active_ms: number
  /** Left out if nothing had a price. */
  readonly cost_usd?: Dollars
  /** Left out if there were none. */
  readonly unpriced_tokens?: Amount
}

/** The part of the budgets that was used after `before`. */
export function usedSince(before: Used, now: Used): Used {
  const [cost, unpriced] = [now.cost_usd ?? 0, now.unpriced_tokens ?? 0]
  return {
    rounds: now.rounds - before.rounds,
    total_tokens: now.total_tokens - before.total_tokens,
    active_ms: now.active_ms - before.active_ms,
    cost_usd: inSmallestParts(cost - (before.cost_usd ?? 0)),
    unpriced_tokens: unpriced - (before.unpriced_tokens ?? 0),
  }
}
