/** A sequence of choices that its seed repeats. What processes do in between, it does not. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 up to, and without, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  between(from: number, to: number): number {
    return from + this.next() * (to - from)
  }

  oneOf<T>(items: readonly [T, ...T[]]): T
  oneOf<T>(items: readonly T[]): T | undefined
  oneOf<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.next() * items.length)]
  }
}
