/**
 * Where every choice of a simulated life comes from: a seed, or a list of choices made before. 0 always is the dullest
 * choice, so that a list with fewer and smaller numbers in it is a simpler life.
 */
export class Choices {
  /** What was chosen so far. */
  readonly made: number[] = []
  readonly #source: () => number

  private constructor(source: () => number) {
    this.#source = source
  }

  static fromSeed(seed: number): Choices {
    return new Choices(randomNumbers(seed))
  }

  /** Makes the same choices again; past their end the dullest ones. */
  static again(made: readonly number[]): Choices {
    let place = 0
    return new Choices(() => made[place++] ?? 0)
  }

  /** A whole number from 0, below `bound`. */
  below(bound: number): number {
    const chosen = this.#source() % bound
    this.made.push(chosen)
    return chosen
  }

  /** True that many times in a hundred. */
  chance(percent: number): boolean {
    return this.below(1_000) >= 1_000 - percent * 10
  }

  /** The first one is the dullest. */
  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T
  }

  /** The first one is the dullest; each comes as often as it weighs. */
  weighted<T>(from: readonly (readonly [weight: number, value: T])[]): T {
    let place = this.below(from.reduce((sum, [weight]) => sum + weight, 0))
    for (const [weight, value] of from) {
      if (place < weight) return value
      place -= weight
    }
    throw new RangeError('nothing to choose from')
  }

  /** Each of them that many times in a hundred. */
  some<T>(from: readonly T[], percent: number): T[] {
    return from.filter(() => this.chance(percent))
  }

  list<T>(most: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.below(most + 1) }, (_, index) => make(index))
  }
}

/** Mulberry32: 32 bits of state are enough to tell lives apart, and it is the same on every machine. */
function randomNumbers(seed: number): () => number {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}
