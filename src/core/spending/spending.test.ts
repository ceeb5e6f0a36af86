import { expect, test } from 'vitest'
import { Spending } from './spending.ts'

const usage = (input_tokens: number, output_tokens: number, cached_input_tokens = 0) => ({
  ...{ input_tokens, output_tokens, total_tokens: input_tokens + output_tokens },
  ...(cached_input_tokens > 0 && { cached_input_tokens }),
})

test('tokens add up by model, and money by the first price that matches', () => {
  const spent = new Spending()
  spent.add({ model: 'anthropic/claude-x', usage: usage(1_000_000, 100_000, 400_000) })
  spent.add({ model: 'anthropic/claude-x', usage: usage(0, 100_000) })
  const prices = { 'anthropic/*': { input: 3, output: 15, cached_input: 0.5 }, '*': { input: 100, output: 100 } }
  expect(spent.tokens).toBe(1_200_000)
  expect(spent.byModel(prices)).toMatchObject([{ model: 'anthropic/claude-x', requests: 2, cost: 1.8 + 0.2 + 3 }])
  expect(spent.cost(prices)).toBeCloseTo(5)
})

test('no money is told of a model without a price', () => {
  const spent = new Spending()
  expect(spent.cost({ '*': { input: 1, output: 1 } })).toBeNull()
  spent.add({ model: 'a', usage: usage(1_000_000, 0) })
  expect(spent.cost({ a: { input: 2, output: 1 } })).toBe(2)
  spent.add({ model: 'b', usage: usage(1, 1) })
  expect(spent.cost({ a: { input: 2, output: 1 } })).toBeNull()
})
