import type { Amount } from '../../count.ts'

/** Tokens. `total_tokens` is what the provider counts as the sum, or the sum of the two. */
export interface Usage {
  readonly input_tokens: Amount
  readonly output_tokens: Amount
  readonly total_tokens: Amount
  /** The part of `input_tokens` that the provider had kept from an earlier request; absent if there was none. */
  readonly cached_input_tokens?: Amount
}

/** The usage of a whole run, with what it cost by the prices of the run. */
export interface RunUsage extends Usage {
  /** Left out if no model that answered has a price. */
  readonly cost_usd?: Dollars
  /** Tokens of models without a price, in a run that has prices; left out if there are none. */
  readonly unpriced_tokens?: Amount
}

/** @minimum 0 */
export type Dollars = number

export const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }

export function addUsage(a: Usage, b: Usage): Usage {
  const cached = (a.cached_input_tokens ?? 0) + (b.cached_input_tokens ?? 0)
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
    ...(cached > 0 && { cached_input_tokens: cached }),
  }
}
