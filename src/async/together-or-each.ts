/** The end of one of several things. */
export type Ended<T> = { readonly result: T } | { readonly thrown: unknown }

interface Act<T, R> {
  /** Resolves to a result for each item, in order. Nothing was done if it rejects. */
  readonly act: (items: readonly T[]) => Promise<readonly R[]>
  /** True if all would fail alike: then no item is tried by itself. */
  readonly isOfAll: (thrown: unknown) => boolean
}

/** Tries all at once. If that fails, tries each by itself, so that one failing item does not block the others. */
export async function togetherOrEach<T, R>(items: readonly T[], { act, isOfAll }: Act<T, R>): Promise<Ended<R>[]> {
  if (items.length === 0) return []
  try {
    return (await act(items)).map(result => ({ result }))
  } catch (thrown) {
    return items.length === 1 || isOfAll(thrown) ? items.map(() => ({ thrown })) : each(items, { act, isOfAll })
  }
}

async function each<T, R>(items: readonly T[], { act, isOfAll }: Act<T, R>): Promise<Ended<R>[]> {
  const ends: Ended<R>[] = []
  let fault: { readonly thrown: unknown } | null = null
  for (const item of items) {
    const end: Ended<R> = fault ?? (await alone(item, act))
    if ('thrown' in end && isOfAll(end.thrown)) fault = end
    ends.push(end)
  }
  return ends
}

async function alone<T, R>(item: T, act: Act<T, R>['act']): Promise<Ended<R>> {
  try {
    const [result] = await act([item])
    return { result: result as R }
  } catch (thrown) {
    return { thrown }
  }
}
