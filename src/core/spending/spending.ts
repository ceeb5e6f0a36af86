/** What a session has used: tokens as its models counted them, and money by prices that people set. */
import { matchesGlob } from '../policy/glob.ts'
import { addUsage, NO_USAGE, type Usage } from '../run/usage.ts'
import type { Price, Prices } from '../settings/chat-settings.ts'

/** What one model has used. */
export interface ModelSpending {
  readonly model: string
  readonly requests: number
  readonly usage: Usage
  /** Dollars; `null` if the model has no price. */
  readonly cost: number | null
}

export class Spending {
  readonly #used = new Map<string, { readonly requests: number; readonly usage: Usage }>()

  /** One answer of a model. */
  add({ model, usage }: { readonly model: string; readonly usage: Usage }): void {
    const before = this.#used.get(model) ?? { requests: 0, usage: NO_USAGE }
    this.#used.set(model, { requests: before.requests + 1, usage: addUsage(before.usage, usage) })
  }

  get tokens(): number {
    return [...this.#used.values()].reduce((sum, { usage }) => sum + usage.total_tokens, 0)
  }

  byModel(prices: Prices): readonly ModelSpending[] {
    return [...this.#used].map(([model, used]) => ({
      model,
      ...used,
      cost: costOf(used.usage, priceOf(model, prices)),
    }))
  }

  /** Dollars; `null` if nothing was used, or a model has no price. */
  cost(prices: Prices): number | null {
    const costs = this.byModel(prices).map(({ cost }) => cost)
    return costs.length === 0 || costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0)
  }
}

function priceOf(model: string, prices: Prices): Price | null {
  const name = Object.keys(prices).find(pattern => pattern === model || matchesGlob(pattern, model))
  return (name !== undefined && prices[name]) || null
}

const MILLION = 1_000_000

function costOf({ input_tokens, output_tokens, cached_input_tokens = 0 }: Usage, price: Price | null): number | null {
  if (price === null) return null
  const { input, output, cached_input = input } = price
  const fresh = Math.max(0, input_tokens - cached_input_tokens)
  return (fresh * input + cached_input_tokens * cached_input + output_tokens * output) / MILLION
}

/** `$1.20`; small sums with more digits. */
export function moneyText(dollars: number): string {
  return `$${dollars.toFixed(dollars > 0 && dollars < 0.1 ? 4 : 2)}`
}

/** `980`, `12.4k`. */
export function tokenText(tokens: number): string {
  return tokens < 1000 ? `${tokens}` : `${(tokens / 1000).toFixed(1)}k`
}
