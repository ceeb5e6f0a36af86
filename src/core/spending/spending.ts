/** What a session has used: tokens as its models counted them, and money by prices that people set. */
import { costOf, priceOf } from '../run/usage/cost.ts'
import { addUsage, NO_USAGE, type Usage } from '../run/usage/usage.ts'
import type { Prices } from '../settings/prices.ts'

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
    return [...this.#used].map(([model, used]) => {
      const price = priceOf(model, prices)
      return { model, ...used, cost: price && costOf(used.usage, price) }
    })
  }

  /** Dollars; `null` if nothing was used, or a model has no price. */
  cost(prices: Prices): number | null {
    const costs = this.byModel(prices).map(({ cost }) => cost)
    return costs.length === 0 || costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0)
  }
}

/** `980`, `12.4k`. */
export function tokenText(tokens: number): string {
  return tokens < 1000 ? `${tokens}` : `${(tokens / 1000).toFixed(1)}k`
}
