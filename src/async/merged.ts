/**
 * Several sources as one.
 * M1  Each source is asked for its next value once its last one was taken: a slow reader slows all of them.
 * M2  It ends with the last of them, or with the failure of one. The others are told then, and not waited for.
 */
export async function* merged<T>(...sources: readonly AsyncIterable<T>[]): AsyncGenerator<T, void, undefined> {
  const arrivals = new Arrivals<T>()
  const iterators = sources.map(source => source[Symbol.asyncIterator]())
  try {
    for (const iterator of iterators) arrivals.ask(iterator)
    for (let open = iterators.length; open > 0; ) {
      const { iterator, result } = await arrivals.next()
      if (result.done) open--
      else {
        yield result.value
        arrivals.ask(iterator)
      }
    }
  } finally {
    for (const iterator of iterators) void iterator.return?.()?.catch(() => {})
  }
}

interface Arrival<T> {
  readonly iterator: AsyncIterator<T>
  readonly result: IteratorResult<T>
}

/** A race of the same promises again and again would keep what each round adds to the slowest of them. */
class Arrivals<T> {
  readonly #arrived: Promise<Arrival<T>>[] = []
  #wake = Promise.withResolvers<void>()

  ask(iterator: AsyncIterator<T>): void {
    const arrival = iterator.next().then(result => ({ iterator, result }))
    const arrive = () => {
      this.#arrived.push(arrival)
      this.#wake.resolve()
    }
    arrival.then(arrive, arrive)
  }

  async next(): Promise<Arrival<T>> {
    for (;;) {
      const first = this.#arrived.shift()
      if (first) return first
      this.#wake = Promise.withResolvers()
      await this.#wake.promise
    }
  }
}
