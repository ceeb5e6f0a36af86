/** Opens at the first call, and once. */
export function once<Opened>(open: () => Promise<Opened>): () => Promise<Opened> {
  let opened: Promise<Opened> | null = null
  return () => {
    opened ??= open()
    return opened
  }
}

type Method = (...given: readonly unknown[]) => unknown

/**
 * The methods of a part that is opened when one of them is used: most processes use none. Those in `streams` return an
 * async generator, all others a promise.
 */
export function onDemand<Part extends object>(open: () => Promise<Part>, streams: readonly (keyof Part)[] = []): Part {
  const used = async (name: string): Promise<Method> => {
    const part = await open()
    return (...given) => (Reflect.get(part, name) as Method).apply(part, [...given])
  }
  async function* stream(name: string, given: readonly unknown[]) {
    yield* (await used(name))(...given) as AsyncIterable<unknown>
  }
  const get = (_: Part, name: string | symbol): Method | undefined => {
    // Whoever awaits the part itself looks for `then`, and opens nothing.
    if (typeof name === 'symbol' || name === 'then') return undefined
    if (streams.includes(name as keyof Part)) return (...given) => stream(name, given)
    return async (...given) => (await used(name))(...given)
  }
  return new Proxy({} as Part, { get })
}
