import { expect, test } from 'vitest'
import type { RunRow } from '../../ports/store/runs.ts'
import { handClock } from '../../testing/kit/hand-clock.ts'
import { StoredRuns, type StoredRunsDeps } from './stored-runs.ts'

const ROWS = Array.from({ length: 100 }, (_, n) => ({ id: `run_${n}`, thread_id: `th_${n}` }) as RunRow)

/** What is ready is `ROWS`, whoever takes some. */
function source(owner: string, isShared: boolean): StoredRuns {
  const store = {
    capabilities: { isShared },
    readyRuns: async ({ limit, after }: { readonly limit: number; readonly after?: string }) => {
      const from = after === undefined ? 0 : ROWS.findIndex(({ id }) => id === after) + 1
      return ROWS.slice(from, from + limit)
    },
  } as Partial<StoredRunsDeps['store']> as StoredRunsDeps['store']
  return new StoredRuns({ store, clock: handClock(0), owner })
}

async function taken(runs: StoredRuns, count: number): Promise<string[]> {
  return (await runs.take(count)).map(({ id }) => id)
}

test('one worker takes the oldest runs', async () => {
  const runs = source('one', false)
  expect(await taken(runs, 2)).toEqual(['run_0', 'run_1'])
  expect(await taken(runs, 2)).toEqual(['run_2', 'run_3'])
})

test('workers of one store seldom want the same run, and each takes one of the oldest', async () => {
  const wanted = await Promise.all(Array.from({ length: 8 }, (_, n) => taken(source(`host ${n}`, true), 1)))
  const runs = wanted.flat()
  expect(new Set(runs).size).toBeGreaterThan(4)
  for (const id of runs) expect(Number(id.slice('run_'.length))).toBeLessThan(32)
})

test('one worker alone comes to all runs of a shared store', async () => {
  const runs = source('one', true)
  const all: string[] = []
  while (all.length < ROWS.length) all.push(...(await taken(runs, 7)))
  expect(new Set(all).size).toBe(ROWS.length)
})
