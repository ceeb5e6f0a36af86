/** The runs that a worker advances side by side, each in a slot of its own. */
import { nextTurn } from '../../async/next-turn.ts'
import { SteadyBackoff } from '../../async/steady-backoff.ts'
import { HoldpointError, LeaseLostError, messageOf } from '../../core/errors.ts'
import { isoTime } from '../../core/text/iso-time.ts'
import type { OfferAgain, ReadyRun, ReadyRuns } from '../../ports/ready-runs.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { Growth } from '../../ports/store/journal.ts'
import type { AdvanceResult } from '../views/face-options.ts'
import type { Advance, WorkEvent } from './work-options.ts'

export interface SlotsDeps {
  readonly runtime: Pick<Runtime, 'store' | 'clock'>
  readonly source: ReadyRuns
  readonly advance: Advance
  readonly concurrency: number
  /** A run that fails is not tried again. */
  readonly isOnce: boolean
  /** Aborted when nothing more is to be begun. */
  readonly drains: AbortSignal
  /** Aborted when those under way are to stop. */
  readonly stops: AbortSignal
  readonly tell: (event: WorkEvent) => void
  /** Called when a slot became free. */
  readonly onFree: () => void
}

export class Slots {
  readonly #deps: SlotsDeps
  /** The runs that could not be advanced lately. */
  readonly #backoff: SteadyBackoff
  readonly #underway = new Map<string, Promise<void>>()
  /** The threads of the runs taken, and whether that was reported. */
  readonly #taken = new Map<string, { readonly run_id: string; isTold: boolean }>()
  #filled: Promise<void> = Promise.resolve()

  constructor(deps: SlotsDeps) {
    this.#deps = deps
    this.#backoff = new SteadyBackoff(deps.runtime.clock)
  }

  get count(): number {
    return this.#underway.size
  }

  get hasRoom(): boolean {
    return this.#underway.size < this.#deps.concurrency && !this.#deps.drains.aborted
  }

  has(runId: string): boolean {
    return this.#underway.has(runId)
  }

  /** When a run that could not be advanced is tried next, by the steady clock; infinity if there is none. */
  get nextTry(): number {
    return this.#backoff.next
  }

  /** A journal grew. The first growth of a taken run is reported. */
  hear(change: Growth | null): void {
    const taken = change && this.#taken.get(change.thread_id)
    if (!taken || taken.isTold) return
    taken.isTold = true
    this.#deps.tell({ kind: 'run.taken', run_id: taken.run_id, thread_id: change.thread_id })
  }

  /** Takes what is ready, as far as there is room; one call after the other. */
  fill(): Promise<void> {
    const filled = this.#filled.then(() => this.#fill())
    this.#filled = filled.catch(() => {})
    return filled
  }

  async #fill(): Promise<void> {
    if (!this.hasRoom) return
    const runs = await this.#deps.source.take(this.#deps.concurrency - this.#underway.size)
    for (const run of runs) await this.#begin(run)
  }

  async #begin(run: ReadyRun): Promise<void> {
    if (this.#deps.drains.aborted || this.#underway.has(run.id)) await this.#deps.source.done(run, null)
    else this.#underway.set(run.id, this.#occupy(run))
  }

  async #occupy(run: ReadyRun): Promise<void> {
    const again = await this.#takeUp(run).catch(thrown => this.#setBack(run, thrown))
    this.#underway.delete(run.id)
    await this.#deps.source.done(run, again)
    // If the store fails, the next look fails too, and reports it.
    this.fill().catch(() => {})
    this.#deps.onFree()
  }

  async #takeUp(run: ReadyRun): Promise<OfferAgain | null> {
    const { id, thread_id } = run
    const taken = { run_id: id, isTold: false }
    this.#taken.set(thread_id, taken)
    try {
      await nextTurn()
      const result = await this.#deps.advance(run, { signal: this.#deps.stops, waitForModel: true })
      this.#backoff.forget(id)
      if (!isView(result)) return this.#deps.isOnce ? NEVER_AGAIN : null
      // If nothing was written, another worker was quicker, and reports the advance.
      if (taken.isTold) this.#deps.tell({ kind: 'run.advanced', run_id: id, thread_id, view: result })
      return null
    } finally {
      this.#taken.delete(thread_id)
    }
  }

  async #setBack({ id, thread_id }: ReadyRun, thrown: unknown): Promise<OfferAgain | null> {
    const { isOnce, stops, runtime, tell } = this.#deps
    const unless = isOnce ? NEVER_AGAIN : null
    // Another process took it over, or will.
    if (thrown instanceof LeaseLostError || (stops.aborted && thrown === stops.reason)) return unless
    const seq = await this.#newestSeq(thread_id)
    const { isNews, waitMs } = this.#backoff.note(id, thrown)
    const retry_at = isOnce ? null : isoTime(runtime.clock.now() + waitMs)
    await this.#noteFailure(id, thrown)
    if (isNews) tell({ kind: 'run.failed', run_id: id, thread_id, error: thrown, retry_at })
    return unless ?? { at: this.#backoff.waitingUntil(id), seq }
  }

  /** A person may have to mend it, and looks at the row. If the store fails, the next look fails too, and reports it. */
  async #noteFailure(id: string, thrown: unknown): Promise<void> {
    const { code, hint } = thrown instanceof HoldpointError ? thrown : { code: 'failed', hint: null }
    await this.#deps.runtime.store.noteFailure(id, { code, message: messageOf(thrown), hint }).catch(() => {})
  }

  async #newestSeq(threadId: string): Promise<number | null> {
    try {
      return (await this.#deps.runtime.store.journal(threadId)).at(-1)?.seq ?? null
    } catch {
      return null
    }
  }

  /** Forgets the failures of runs that rested otherwise. */
  async forgetRested(): Promise<void> {
    for (const id of this.#backoff.ids) {
      const row = await this.#deps.runtime.store.run(id)
      if (row?.status !== 'running') this.#backoff.forget(id)
    }
  }

  async allAtRest(): Promise<void> {
    while (this.#underway.size > 0) await Promise.all(this.#underway.values())
  }
}

const NEVER_AGAIN: OfferAgain = { at: Number.POSITIVE_INFINITY, seq: null }

function isView(result: AdvanceResult): result is Extract<AdvanceResult, { profile: unknown }> {
  return 'profile' in result
}
