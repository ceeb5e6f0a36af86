import { expect, test } from 'vitest'
import { nextTurn } from './next-turn.ts'

test('what was due before comes first, also behind promises that are kept at once', async () => {
  const order: string[] = []
  process.nextTick(() => order.push('due'))
  await Promise.resolve()
  await nextTurn()
  order.push('next')
  expect(order).toEqual(['due', 'next'])
})
