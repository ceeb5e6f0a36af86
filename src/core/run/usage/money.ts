/** `$1.20`; small sums with more digits. */
export function moneyText(dollars: number): string {
  if (dollars === 0 || dollars >= 0.1) return `$${dollars.toFixed(2)}`
  return `$${dollars.toFixed(Math.max(4, Math.min(1 - Math.floor(Math.log10(dollars)), 9)))}`
}

interface Cost {
  readonly cost_usd?: number
  readonly unpriced_tokens?: number
}

/** `$1.20`, and how much of the usage has no price; `null` if nothing has one. */
export function costText({ cost_usd, unpriced_tokens }: Cost): string | null {
  if (cost_usd === undefined) return null
  return unpriced_tokens === undefined
    ? moneyText(cost_usd)
    : `${moneyText(cost_usd)}, and ${unpriced_tokens} tokens without a price`
}
