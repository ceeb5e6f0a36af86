import { expect, test } from 'vitest'
import type { Store } from '../../ports/store/store.ts'
import { openStore } from '../../stores/open-store.ts'
import { handClock } from '../../testing/kit/hand-clock.ts'
import { recordsBetween } from './records-between.ts'

const START = Date.parse('2030-01-01T00:00:00Z')
const HOUR = 3_600_000
const LENGTH = 4_000

/** One record an hour, and how many rows are read of them. */
async function aLongLog(): Promise<{ readonly store: Store; readonly rows: () => number }> {
  const clock = handClock(START)
  const store = await openStore('memory:', { clock, directory: '/' })
  for (let n = 0; n < LENGTH; n += 1) {
    await store.record([{ kind: 'grant.revoked', data: { n } }])
    clock.advance(HOUR)
  }
  let rows = 0
  const audit: Store['audit'] = async query => {
    const found = await store.audit(query)
    rows += found.length
    return found
  }
  const counted = { audit, auditHead: () => store.auditHead() } as Store
  return { store: counted, rows: () => rows }
}

async function read(store: Store, since: number, until: number): Promise<unknown[]> {
  const records = await Array.fromAsync(recordsBetween(store, { since, until }))
  return records.map(({ data }) => data['n'])
}

test('the records of a time come whole and in order, and the log before them is not read', async () => {
  const { store, rows } = await aLongLog()
  const [from, to] = [START + 3_000 * HOUR, START + 3_010 * HOUR]
  expect(await read(store, from, to)).toEqual([3000, 3001, 3002, 3003, 3004, 3005, 3006, 3007, 3008, 3009])
  expect(rows()).toBeLessThan(600)
  expect(await read(store, START, START + LENGTH * HOUR)).toHaveLength(LENGTH)
  expect(await read(store, START - HOUR, START)).toEqual([])
  expect(await read(store, START + LENGTH * HOUR, START + 2 * LENGTH * HOUR)).toEqual([])
})

test('a clock that was set back by some hours hides nothing', async () => {
  const clock = handClock(START)
  const store = await openStore('memory:', { clock, directory: '/' })
  for (const hour of [0, 40, 20, 41, 25, 90, 100]) {
    clock.advance(START + hour * HOUR - clock.now())
    await store.record([{ kind: 'grant.revoked', data: { n: hour } }])
  }
  expect(await read(store, START + 20 * HOUR, START + 41 * HOUR)).toEqual([40, 20, 25])
})
