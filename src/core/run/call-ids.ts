/** Names the calls of one answer. Some providers count calls anew in every turn: ids are made unique in the thread. */
export class CallIds {
  readonly #earlier: ReadonlySet<string>
  readonly #step: number
  readonly #own = new Set<string>()
  /** Ids that were streamed with pieces, by the provider's id, in the order in which the calls began. */
  readonly #told = new Map<string, string[]>()

  /** `earlier` are the ids of the thread before this answer. */
  constructor(earlier: ReadonlySet<string>, step: number) {
    this.#earlier = earlier
    this.#step = step
  }

  /** The id of a call of which the first piece arrives. */
  begin(providerId: string): string {
    const id = this.#free(providerId)
    this.#told.set(providerId, [...(this.#told.get(providerId) ?? []), id])
    return id
  }

  /** The id in the journal of the next call of the answer: the streamed id of its pieces, if there were any. */
  take(providerId: string): string {
    return this.#told.get(providerId)?.shift() ?? this.#free(providerId)
  }

  #free(wanted: string): string {
    const base = wanted === '' ? 'call' : wanted
    let id = base
    for (let n = this.#step; this.#earlier.has(id) || this.#own.has(id); n += 1) id = `${base}_${n}`
    this.#own.add(id)
    return id
  }
}
