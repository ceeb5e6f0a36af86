import { expect, test } from 'vitest'
import { StoreError } from '../../stores/store-error.ts'
import { handClock } from '../../testing/kit/hand-clock.ts'
import { untilWritten } from './until-written.ts'

const never = new AbortController().signal

/** A write that fails with `thrown` until the clock has run for `ms`. */
function failing(thrown: unknown, ms: number) {
  const clock = handClock()
  let tries = 0
  const write = async () => {
    tries += 1
    if (clock.steady() < ms) throw thrown
    return 'written'
  }
  return { clock, write, tries: () => tries }
}

const busy = new StoreError('store_busy', 'locked')

/** Lets time pass for as long as somebody sleeps. */
async function turned<T>(clock: ReturnType<typeof handClock>, work: Promise<T>): Promise<T> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  work.then(over, over)
  while (!isOver) {
    if (clock.sleeping > 0) clock.advance(50)
    await new Promise(resolve => setImmediate(resolve))
  }
  return work
}

test('P3: a write that a lock of 15 s kept out is made when the lock is gone', async () => {
  const { clock, write } = failing(busy, 15_000)
  expect(await turned(clock, untilWritten(write, { clock, signal: never, forMs: 30_000 }))).toBe('written')
  expect(clock.steady()).toBeLessThan(16_100)
})

test('a write is tried no longer than a lease lasts', async () => {
  const { clock, write } = failing(busy, Number.POSITIVE_INFINITY)
  await expect(turned(clock, untilWritten(write, { clock, signal: never, forMs: 30_000 }))).rejects.toBe(busy)
  expect(clock.steady()).toBeLessThanOrEqual(30_000)
  expect(clock.steady()).toBeGreaterThan(28_000)
})

test('a stop ends the tries, and what the store said is told', async () => {
  const { clock, write, tries } = failing(busy, Number.POSITIVE_INFINITY)
  const stop = new AbortController()
  const written = untilWritten(write, { clock, signal: stop.signal, forMs: 30_000 })
  await expect.poll(() => clock.sleeping).toBe(1)
  stop.abort(new Error('enough'))
  await expect(written).rejects.toBe(busy)
  expect(tries()).toBe(1)
})

test.each([
  ['may have been written', new StoreError('store_busy', 'locked', { written: 'unknown' })],
  ['was lost with its connection', new StoreError('store_commit_unknown', 'lost', { written: 'unknown' })],
  ['can never be written', new StoreError('thread_full', 'full')],
  ['is in a store that is gone', new StoreError('store_gone', 'gone')],
  ['is in a store that is damaged', new StoreError('store_corrupt', 'damaged')],
  ['failed with a store of others', Object.assign(new Error('busy'), { code: 'store_busy' })],
  ['failed with a bug', new TypeError('x is not a function')],
])('what %s is not written again', async (_what, thrown) => {
  const { clock, write, tries } = failing(thrown, Number.POSITIVE_INFINITY)
  await expect(untilWritten(write, { clock, signal: never, forMs: 30_000 })).rejects.toBe(thrown)
  expect(tries()).toBe(1)
})

test.each(['store_busy', 'store_unavailable', 'store_full', 'store_io'])(
  'P3: what %s kept out surely is written again',
  async code => {
    const { clock, write } = failing(new StoreError(code, 'later'), 500)
    expect(await turned(clock, untilWritten(write, { clock, signal: never, forMs: 30_000 }))).toBe('written')
  },
)
