import { expect, test } from 'vitest'
import { type HandClock, handClock } from '../testing/kit/hand-clock.ts'
import { type EachChangeOptions, eachChange } from './each-change.ts'

test('it looks at once, and then only after a change', async () => {
  using it = looking()
  await it.looks(1)
  it.clock.advance(10)
  await quiet()
  expect(it.seen()).toBe(1)
  it.change()
  await it.looks(2)
})

test('C1: a change during a look causes another look', async () => {
  using it = looking({ onLook: n => n === 1 && it.change() })
  await it.looks(1)
  it.clock.advance(10)
  await it.looks(2)
  it.clock.advance(10)
  await quiet()
  expect(it.seen()).toBe(2)
})

test('C2: a burst of changes costs one look in the shortest time between two', async () => {
  using it = looking({ restMs: 50 })
  await it.looks(1)
  for (let n = 0; n < 100; n += 1) it.change()
  it.clock.advance(49)
  await quiet()
  expect(it.seen()).toBe(1)
  it.clock.advance(1)
  await it.looks(2)
})

test('C3: it looks after the longest time between two, though no watch tells of a change', async () => {
  using it = looking({ restMs: 0, safetyMs: 1_000 })
  await it.looks(1)
  it.clock.advance(999)
  await quiet()
  expect(it.seen()).toBe(1)
  it.clock.advance(1)
  await it.looks(2)
})

test.each(['deadline', 'abort'] as const)('at its %s it looks for the last time, and watches no longer', async end => {
  const stop = new AbortController()
  using it = looking({ restMs: 0, deadline: 500, signal: stop.signal })
  await it.looks(1)
  if (end === 'abort') stop.abort()
  else it.clock.advance(500)
  await it.over
  expect(it.seen()).toBe(2)
  expect(it.watching()).toBe(0)
  expect(it.clock.sleeping).toBe(0)
})

test('a loop that is left watches no longer', async () => {
  using it = looking({ onLook: n => n === 2 && 'leave' })
  await it.looks(1)
  it.clock.advance(10)
  it.change()
  await it.over
  expect(it.watching()).toBe(0)
})

type Looking = Partial<EachChangeOptions> & { readonly onLook?: (n: number) => unknown }

function looking({ onLook = () => {}, ...options }: Looking = {}): Disposable & {
  readonly clock: HandClock
  readonly over: Promise<void>
  change(): void
  seen(): number
  watching(): number
  looks(count: number): Promise<void>
} {
  const clock = handClock(0)
  const listeners = new Set<() => void>()
  const stop = new AbortController()
  let seen = 0
  const watch = (onChange: () => void): Disposable => {
    listeners.add(onChange)
    return { [Symbol.dispose]: () => listeners.delete(onChange) }
  }
  const look = async (): Promise<void> => {
    for await (const _ of eachChange({ clock, watches: [watch], signal: stop.signal, ...options })) {
      seen += 1
      if (onLook(seen) === 'leave') break
    }
  }
  // Its first look comes when the caller has what this returns.
  const over = Promise.resolve().then(look)
  return {
    clock,
    over,
    change: () => listeners.forEach(tell => void tell()),
    seen: () => seen,
    watching: () => listeners.size,
    looks: async count => {
      while (seen < count) await quiet()
    },
    [Symbol.dispose]: () => stop.abort(),
  }
}

/** Everything that can happen without time passing has happened. */
function quiet(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
