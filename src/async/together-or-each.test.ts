import { expect, test } from 'vitest'
import { togetherOrEach } from './together-or-each.ts'

class Away extends Error {}

const isOfAll = (thrown: unknown) => thrown instanceof Away

/** An act that does all it is given, or nothing if one of them is bad. */
function acting(bad: Readonly<Record<string, Error>>) {
  const acts: string[][] = []
  const act = async (items: readonly string[]) => {
    acts.push([...items])
    for (const item of items) if (bad[item]) throw bad[item]
    return items.map(item => `${item} done`)
  }
  return { acts, act, isOfAll }
}

test('what goes well is done in one act', async () => {
  const { acts, ...how } = acting({})
  expect(await togetherOrEach(['a', 'b'], how)).toEqual([{ result: 'a done' }, { result: 'b done' }])
  expect(acts).toEqual([['a', 'b']])
})

test('nothing to do is no act', async () => {
  const { acts, ...how } = acting({})
  expect(await togetherOrEach([], how)).toEqual([])
  expect(acts).toEqual([])
})

test('one that cannot be done keeps out no other', async () => {
  const broken = new Error('broken')
  const { acts, ...how } = acting({ b: broken })
  expect(await togetherOrEach(['a', 'b', 'c'], how)).toEqual([
    { result: 'a done' },
    { thrown: broken },
    { result: 'c done' },
  ])
  expect(acts).toEqual([['a', 'b', 'c'], ['a'], ['b'], ['c']])
})

test('what would fail for all alike is not tried with each', async () => {
  const away = new Away()
  const { acts, ...how } = acting({ a: away })
  expect(await togetherOrEach(['a', 'b'], how)).toEqual([{ thrown: away }, { thrown: away }])
  expect(acts).toEqual([['a', 'b']])
})

test('once all would fail alike, no further one is tried', async () => {
  const [broken, away] = [new Error('broken'), new Away()]
  const { acts, ...how } = acting({ a: broken, b: away })
  expect(await togetherOrEach(['a', 'b', 'c'], how)).toEqual([{ thrown: broken }, { thrown: away }, { thrown: away }])
  expect(acts).toEqual([['a', 'b', 'c'], ['a'], ['b']])
})

test('one alone is tried once', async () => {
  const broken = new Error('broken')
  const { acts, ...how } = acting({ a: broken })
  expect(await togetherOrEach(['a'], how)).toEqual([{ thrown: broken }])
  expect(acts).toHaveLength(1)
})
