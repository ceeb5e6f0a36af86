import { expect, test } from 'vitest'
import { once, onDemand } from './on-demand.ts'

class Counter {
  #count = 0

  async up(by: number): Promise<number> {
    this.#count += by
    return this.#count
  }

  async *down(): AsyncGenerator<number> {
    while (this.#count > 0) {
      this.#count -= 1
      yield this.#count
    }
  }
}

test('a part is opened at the first call of a method, and once', async () => {
  let opened = 0
  const open = once(async () => {
    opened += 1
    return new Counter()
  })
  const counter = onDemand<Counter>(open, ['down'])
  expect(await Promise.resolve(counter)).toBe(counter)
  expect(opened).toBe(0)
  await Promise.all([counter.up(1), counter.up(1)])
  expect(await Array.fromAsync(counter.down())).toEqual([1, 0])
  expect(opened).toBe(1)
})

test('a part that does not open fails each call', async () => {
  const counter = onDemand<Counter>(() => Promise.reject(new TypeError('closed')), ['down'])
  await expect(counter.up(1)).rejects.toThrow('closed')
  await expect(Array.fromAsync(counter.down())).rejects.toThrow('closed')
})
