/** Work that somebody waits for. */
export class Underway {
  readonly #work = new Set<Promise<unknown>>()

  async track<T>(work: Promise<T>): Promise<T> {
    this.#work.add(work)
    try {
      return await work
    } finally {
      this.#work.delete(work)
    }
  }

  /** Resolves once nothing is under way, or after so long. */
  async settled(withinMs: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, withinMs)
    await Promise.race([late, Promise.allSettled(this.#work)])
    clearTimeout(timer)
  }
}
