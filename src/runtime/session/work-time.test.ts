import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Store } from '../../ports/store/store.ts'
import { openStore } from '../../stores/open-store.ts'
import { handClock } from '../../testing/kit/hand-clock.ts'
import { RunSignals } from './run-signals.ts'
import { WorkTime } from './work-time.ts'

let clock: ReturnType<typeof handClock>
let store: Store
let signals: RunSignals
let time: WorkTime

beforeEach(async () => {
  clock = handClock()
  store = await openStore('memory:', { clock, directory: '/' })
  signals = new RunSignals(store, 'th_1', new AbortController().signal)
  time = new WorkTime(clock, signals, 7_000)
})

afterEach(async () => {
  signals[Symbol.dispose]()
  await store[Symbol.asyncDispose]()
})

test('what former advances took counts', () => {
  clock.advance(2_000)
  expect(time.activeMs).toBe(9_000)
})

test.each([-60_000, 3_600_000])('a clock that is set by %d ms changes nothing that was counted', ms => {
  clock.advance(2_000)
  expect(time.activeMs).toBe(9_000)
  clock.step(ms)
  expect(time.activeMs).toBe(9_000)
  clock.advance(1_000)
  expect(time.activeMs).toBe(10_000)
})

test.each([0, -60_000, 3_600_000])(
  'the wait for a person does not count, whatever the clock does meanwhile (%d ms)',
  async ms => {
    clock.advance(2_000)
    await time.waiting(async () => {
      clock.advance(3_000)
      clock.step(ms)
    })
    expect(time.activeMs).toBe(9_000)
    clock.advance(1_000)
    expect(time.activeMs).toBe(10_000)
  },
)
