/** What the tokens of models cost, by prices that people set. */
import { matchesGlob } from '../../policy/glob.ts'
import type { Price, Prices } from '../../settings/prices.ts'
import { addUsage, type RunUsage, type Usage } from './usage.ts'

/** The first price that matches; `null` if the model has none. */
export function priceOf(model: string, prices: Prices): Price | null {
  const name = Object.keys(prices).find(pattern => pattern === model || matchesGlob(pattern, model))
  return (name !== undefined && prices[name]) || null
}

const MILLION = 1_000_000

/** Dollars. */
export function costOf({ input_tokens, output_tokens, cached_input_tokens = 0 }: Usage, price: Price): number {
  const { input, output, cached_input = input } = price
  const fresh = Math.max(0, input_tokens - cached_input_tokens)
  return (fresh * input + cached_input_tokens * cached_input + output_tokens * output) / MILLION
}

const PARTS_OF_A_DOLLAR = 1_000_000_000

/** Drops the digits that only the addition of fractions brought. */
export function inSmallestParts(dollars: number): number {
  return Math.round(dollars * PARTS_OF_A_DOLLAR) / PARTS_OF_A_DOLLAR
}

/** The usage of a run with that of one more answer. Nothing has a cost in a run without prices. */
export function withAnswer(
  before: RunUsage,
  // Older journals name no model.
  { model = '', usage }: { readonly model?: string; readonly usage: Usage },
  prices: Prices | undefined,
): RunUsage {
  const { cost_usd, unpriced_tokens, ...counted } = before
  const sums = addUsage(counted, usage)
  const price = prices && priceOf(model, prices)
  const cost = (cost_usd ?? 0) + (price ? costOf(usage, price) : 0)
  const unpriced = (unpriced_tokens ?? 0) + (price === null ? usage.total_tokens : 0)
  return {
    ...sums,
    ...((price || cost_usd !== undefined) && {
      cost_usd: inSmallestParts(cost),
    }),
    ...(unpriced > 0 && { unpriced_tokens: unpriced }),
  }
}
