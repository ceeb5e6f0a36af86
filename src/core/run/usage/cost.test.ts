import { expect, test } from 'vitest'
import { withAnswer } from './cost.ts'
import { costText, moneyText } from './money.ts'
import { NO_USAGE } from './usage.ts'
import { usedSince } from './used.ts'

const PRICES = { 'anthropic/*': { input: 3, output: 15, cached_input: 0.3 } }

const answered = (model: string | undefined, input: number, output: number, cached = 0) => ({
  ...(model !== undefined && { model }),
  usage: {
    ...{ input_tokens: input, output_tokens: output, total_tokens: input + output },
    ...(cached > 0 && { cached_input_tokens: cached }),
  },
})

test('answers cost what the price of their model says, cached input less', () => {
  const first = withAnswer(NO_USAGE, answered('anthropic/claude', 1_000_000, 100_000, 500_000), PRICES)
  expect(first).toEqual({
    ...{ input_tokens: 1_000_000, output_tokens: 100_000, total_tokens: 1_100_000, cached_input_tokens: 500_000 },
    cost_usd: 1.5 + 0.15 + 1.5,
  })
  expect(withAnswer(first, answered('anthropic/claude', 100, 0), PRICES)).toMatchObject({ cost_usd: 3.1503 })
})

test('a sum of fractions has no digits that only its addition brought', () => {
  const tenth = answered('anthropic/claude', 0, 20_000)
  const usage = [1, 2, 3].reduce(before => withAnswer(before, tenth, PRICES), NO_USAGE)
  expect(usage).toMatchObject({ cost_usd: 0.9 })
  const used = (cost_usd: number) => ({ rounds: 0, total_tokens: 0, active_ms: 0, cost_usd })
  expect(usedSince(used(0.4), used(0.7)).cost_usd).toBe(0.3)
})

test.each(['openai/gpt', undefined])('tokens of the model %s, which has no price, are counted as such', model => {
  const usage = withAnswer(
    withAnswer(NO_USAGE, answered('anthropic/claude', 0, 100_000), PRICES),
    answered(model, 10, 2),
    PRICES,
  )
  expect(usage).toMatchObject({ cost_usd: 1.5, unpriced_tokens: 12, total_tokens: 100_012 })
  expect(costText(usage)).toBe('$1.50, and 12 tokens without a price')
})

test('a run without prices has no cost, and keeps the one of the run that it continues', () => {
  const usage = withAnswer(NO_USAGE, answered('anthropic/claude', 10, 2), undefined)
  expect(usage).toEqual({ input_tokens: 10, output_tokens: 2, total_tokens: 12 })
  expect(costText(usage)).toBeNull()
  expect(withAnswer({ ...usage, cost_usd: 2 }, answered('x', 1, 1), undefined)).toMatchObject({ cost_usd: 2 })
})

test('small sums keep their digits', () => {
  expect([0, 0.000024, 0.0123, 0.1, 12.345].map(moneyText)).toEqual([
    '$0.00',
    '$0.000024',
    '$0.0123',
    '$0.10',
    '$12.35',
  ])
})
