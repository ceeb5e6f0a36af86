import { expect, test } from 'vitest'
import { FairTurns } from './fair-turns.ts'
import { nextTurn } from './next-turn.ts'

/** Each who is served works for `ms`; `served` has the numbers of those who were, by turn of the loop. */
async function servedByTurn(count: number, ms: number): Promise<number[][]> {
  let now = 0
  const turns = new FairTurns(() => now, 5)
  const served: number[][] = [[]]
  const all = Array.from({ length: count }, async (_, n) => {
    await turns.take()
    now += ms
    served.at(-1)?.push(n)
  })
  let isOver = false
  void Promise.all(all).then(() => {
    isOver = true
  })
  while (!isOver) {
    await nextTurn()
    served.push([])
  }
  return served.filter(each => each.length > 0)
}

test('T1: who asked first is served first', async () => {
  expect((await servedByTurn(10, 4)).flat()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})

test('T2: who works long is alone in a turn of the loop, and who works little shares it', async () => {
  expect(Math.max(...(await servedByTurn(6, 10)).map(({ length }) => length))).toBe(1)
  expect((await servedByTurn(6, 0)).length).toBe(1)
})

test('the lag is the time that the first has waited for, and 0 while nobody waits', async () => {
  let now = 100
  const turns = new FairTurns(() => now)
  expect(turns.lagMs).toBe(0)
  const turn = turns.take()
  now = 130
  expect(turns.lagMs).toBe(30)
  await turn
  expect(turns.lagMs).toBe(0)
})

test('T1, T2: work runs at once while there is time, and then in order, in later turns of the loop', async () => {
  let now = 0
  const turns = new FairTurns(() => now, 5)
  const order: string[] = []
  const work = (name: string) => async () => {
    now += 4
    order.push(name)
  }
  const all = ['one', 'two', 'three', 'four'].map(name => turns.run(work(name)))
  expect(order).toEqual(['one', 'two'])
  await nextTurn()
  await Promise.all(all)
  expect(order).toEqual(['one', 'two', 'three', 'four'])
})
