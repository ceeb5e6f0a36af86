import type { RunStore } from '../../../ports/store/runs.ts'
import { type FinishedSpan, rootIdOf, traceIdOf } from './span.ts'

/** A longer chain of agents that start agents has a trace of its own in its lower part. */
const MOST_LEVELS = 100
/** Runs that are remembered. */
const MOST_RUNS = 2_000

interface TracePlace {
  readonly trace_id: string
  /** The span of the run whose agent started this one; `null` if no agent did. */
  readonly parent_id: string | null
}

/** A run that an agent started belongs to the trace of that agent's run, so one trace has all that came of a request. */
export class TracePlaces {
  readonly #store: Pick<RunStore, 'run'>
  readonly #parents = new Map<string, string | null>()

  constructor(store: Pick<RunStore, 'run'>) {
    this.#store = store
  }

  /** The span in the trace of its run. */
  async placed(span: FinishedSpan): Promise<FinishedSpan> {
    const { trace_id, parent_id } = await this.#placeOf(span.run_id)
    return { ...span, trace_id, parent_id: span.parent_id ?? parent_id }
  }

  async #placeOf(runId: string): Promise<TracePlace> {
    const parent = await this.#parentOf(runId)
    let first = runId
    for (let level = 0, next = parent; next !== null && level < MOST_LEVELS; level += 1) {
      first = next
      next = await this.#parentOf(next)
    }
    return { trace_id: traceIdOf(first), parent_id: parent === null ? null : rootIdOf(parent) }
  }

  /** A run that was deleted has no parent that is known. */
  async #parentOf(runId: string): Promise<string | null> {
    const known = this.#parents.get(runId)
    if (known !== undefined) return known
    const parent = (await this.#store.run(runId))?.parent_run_id ?? null
    if (this.#parents.size >= MOST_RUNS) this.#parents.clear()
    this.#parents.set(runId, parent)
    return parent
  }
}
