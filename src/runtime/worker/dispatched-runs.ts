/**
 * The ready runs that an engine hands to one worker.
 * D1  An engine may lose a run, and keeps those of a worker that was killed: at most every 2 s the store is asked as well.
 * D2  A run that becomes ready again while this worker still has it is kept until the worker lets go.
 */
import type { Dispatched } from '../../ports/dispatcher.ts'
import type { OfferAgain, ReadyRun, ReadyRuns } from '../../ports/ready-runs.ts'
import { StoredRuns, type StoredRunsDeps } from './stored-runs.ts'

/** From one look at the store to the next. */
export const SWEEP_MS = 2_000

interface Offer {
  readonly runId: string
  readonly over: PromiseWithResolvers<void>
}

export class DispatchedRuns implements ReadyRuns, Dispatched {
  readonly #stored: StoredRuns
  readonly #clock: StoredRunsDeps['clock']
  readonly #listeners = new Set<() => void>()
  /** Handed over, and not taken up yet. */
  #offers: readonly Offer[] = []
  /** The runs that the worker has; `null` for one that no engine handed over. */
  readonly #underway = new Map<string, Offer | null>()
  #sweptAt = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(deps: StoredRunsDeps) {
    this.#stored = new StoredRuns(deps)
    this.#clock = deps.clock
  }

  readonly onRun: Dispatched['onRun'] = async runId => {
    if (this.#isClosed) throw new HandedBack()
    const offer = { runId, over: Promise.withResolvers<void>() }
    this.#offers = [...this.#offers, offer]
    this.onDue()
    await offer.over.promise
  }

  readonly onDue: Dispatched['onDue'] = () => {
    for (const listener of this.#listeners) listener()
  }

  async take(limit: number): Promise<ReadyRun[]> {
    const taken = await this.#takeOffered(limit)
    const now = this.#clock.steady()
    if (taken.length === limit || now < this.#sweptAt + SWEEP_MS) return taken
    this.#sweptAt = now
    const ready = await this.#stored.take(limit - taken.length)
    for (const { id } of ready) this.#underway.set(id, null)
    return [...taken, ...ready]
  }

  async #takeOffered(limit: number): Promise<ReadyRun[]> {
    const taken: ReadyRun[] = []
    for (const offer of this.#offers) {
      if (taken.length === limit) break
      if (this.#underway.has(offer.runId)) continue
      const run = await this.#stored.takeOne(offer.runId)
      this.#offers = this.#offers.filter(other => other !== offer)
      if (run) {
        this.#underway.set(run.id, offer)
        taken.push(run)
      } else offer.over.resolve()
    }
    return taken
  }

  async done(run: ReadyRun, again: OfferAgain | null): Promise<void> {
    const offer = this.#underway.get(run.id)
    this.#underway.delete(run.id)
    await this.#stored.done(run, again)
    offer?.over.resolve()
  }

  watch(onReady: () => void): Disposable {
    this.#listeners.add(onReady)
    return { [Symbol.dispose]: () => void this.#listeners.delete(onReady) }
  }

  /** Hands back what was not taken up, and takes nothing more. */
  close(): void {
    this.#isClosed = true
    for (const { over } of this.#offers) over.reject(new HandedBack())
    this.#offers = []
  }
}

/** Another worker is to have the run. */
class HandedBack extends Error {
  constructor() {
    super('the worker stops')
  }
}
