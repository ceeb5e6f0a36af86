import { expect, test } from 'vitest'
import type { RunRow } from '../../ports/store/runs.ts'
import { handClock } from '../../testing/kit/hand-clock.ts'
import { StoredRuns, type StoredRunsDeps } from './stored-runs.ts'

const ROWS = Array.from({ length: 100 }, (_, n) => ({ id: `run_${n}`, thread_id: `th_${n}` }) as RunRow)

/** What is ready is always all of `rows`, whoever takes some. */
function source(owner: string, isShared: boolean, rows: readonly RunRow[] = ROWS): StoredRuns {
  const store = {
    hosts: { self: isShared ? 'host' : null },
    readyRuns: async ({ limit, after }: { readonly limit: number; readonly after?: string }) => {
      const from = after === undefined ? 0 : rows.findIndex(({ id }) => id === after) + 1
      return rows.slice(from, from + limit)
    },
  } as unknown as StoredRunsDeps['store']
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

test('under a backlog that never ends, none waits long behind those that come after it', async () => {
  const rows = [...ROWS]
  const runs = source('one', true, rows)
  const order: string[] = []
  for (let n = 0; n < 4 * ROWS.length; n += 1) {
    const [run] = await runs.take(1)
    if (!run) throw new TypeError('nothing is ready')
    order.push(run.id)
    rows.splice(
      rows.findIndex(({ id }) => id === run.id),
      1,
    )
    rows.push({ id: `later_${n}`, thread_id: 'th' } as RunRow)
    await runs.done(run, null)
  }
  const late = ROWS.filter(({ id }, place) => !order.slice(0, 4 * (place + 1)).includes(id))
  expect(late).toEqual([])
})

test('one worker alone comes to all runs of a store that hosts share', async () => {
  const runs = source('one', true)
  const all: string[] = []
  while (all.length < ROWS.length) all.push(...(await taken(runs, 7)))
  expect(new Set(all).size).toBe(ROWS.length)
})
