import type { Receipt } from '../core/deciding/receipt.ts'
import { LeaseLostError } from '../core/errors.ts'
import type { DecisionInput } from '../core/hold/decision.ts'
import { runRefusals } from '../core/refusals/run-refusals.ts'
import { unknownRun } from '../core/run/unknown-run.ts'
import { fireDue } from './holds/expire-holds.ts'
import { readyDecision } from './holds/ready-decisions.ts'
import { recordRefusals } from './holds/record-refusals.ts'
import type { WatchfulRuntime } from './lease/lease-watch.ts'
import { type Advanced, type AdvanceRequest, advanceRun } from './loop/advance-run.ts'
import type { AdvanceOptions, AdvanceResult } from './views/face-options.ts'
import type { RunView } from './views/run-view.ts'
import { viewNow, viewOf } from './views/view-run.ts'

/** Advances runs for callers: checks the decisions they bring, and answers with the run as it is afterwards. */
export class RunAdvancer {
  readonly #runtime: WatchfulRuntime
  /** Runs that were started here and are kept for this process until it advances them. */
  readonly #reserved = new Set<string>()

  constructor(runtime: WatchfulRuntime) {
    this.#runtime = runtime
  }

  reserve(runId: string): void {
    this.#reserved.add(runId)
  }

  async advance(runId: string, options: AdvanceOptions & { readonly signal: AbortSignal }): Promise<AdvanceResult> {
    const resting = await this.#resting(runId, options)
    if (resting) return stillAt(options, resting)
    const inputs = options.decisions ?? []
    const checked = await Promise.all(inputs.map(each => readyDecision(this.#runtime, each)))
    const receipts = checked.map(each => (each.ok ? null : each.receipt))
    if (receipts.some(receipt => receipt !== null)) return this.#refused(inputs, receipts)
    const advanced = await advanceRun(this.#runtime, runId, {
      signal: options.signal,
      pauseOn: options.pauseOn ?? null,
      inputProvider: options.inputProvider ?? null,
      waitForModel: options.waitForModel ?? false,
      ...changesIn(options),
      isReserved: this.#reserved.delete(runId),
      ...('lastRest' in options && { lastRest: options.lastRest }),
      decisions: checked.flatMap(each => (each.ok ? [each.decision] : [])),
    })
    if (!advanced) throw unknownRun(runId)
    if (advanced.outcome === 'refused') return this.#refused(inputs, advanced.receipts)
    const result = await this.#resultOf(advanced, runId)
    return advanced.outcome === 'done' ? stillAt(options, result as RunView) : result
  }

  /** False if another process works on the run, or took it over just now: it ends it as soon as it can. */
  async carryOutCancel(runId: string, signal: AbortSignal): Promise<boolean> {
    try {
      return (await this.advance(runId, { signal })).status !== 'busy'
    } catch (thrown) {
      if (thrown instanceof LeaseLostError) return false
      throw thrown
    }
  }

  /** A look at a resting run takes no lease, so it cannot get in the way of a decision. */
  async #resting(runId: string, { decisions = [], changes }: AdvanceOptions): Promise<RunView | null> {
    if (decisions.length > 0 || changes) return null
    const row = await this.#runtime.store.run(runId)
    if (row?.status === 'waiting' && (await this.#fireDueOf(runId))) return null
    const rests = row?.status === 'done' || (row?.status === 'waiting' && !row.lease && !row.exported)
    const view = rests ? await viewOf(this.#runtime, runId) : null
    // A decision may have woken the run meanwhile.
    return view?.status === 'running' ? null : view
  }

  /** A passed deadline can let a run go on. True if one passed. */
  async #fireDueOf(runId: string): Promise<boolean> {
    const open = await this.#runtime.store.holds({ run_id: runId, status: 'open' })
    const happened = await fireDue(this.#runtime, open)
    return happened.some(({ kind }) => kind === 'hold.expired')
  }

  async #refused(inputs: readonly DecisionInput[], receipts: readonly (Receipt | null)[]): Promise<AdvanceResult> {
    await recordRefusals(this.#runtime, inputs, receipts)
    return { status: 'refused', receipts: receipts.filter(receipt => receipt !== null) }
  }

  async #resultOf(advanced: Exclude<Advanced, { outcome: 'refused' }>, runId: string): Promise<AdvanceResult> {
    if (advanced.outcome === 'done') return viewOf(this.#runtime, runId)
    if (advanced.outcome === 'busy') return { status: 'busy', owner: advanced.owner, until: advanced.until }
    return (await viewNow(this.#runtime, advanced.session.thread)) as RunView
  }
}

/** A resting run has already reported its newest checkpoint. @throws RefusedError `superseded` */
function stillAt({ lastRest }: AdvanceOptions, view: RunView): RunView {
  if (lastRest !== undefined && lastRest !== view.checkpoint_id) throw runRefusals.restedSince(view.id)
  return view
}

function changesIn({ changes, by, surface = 'code' }: AdvanceOptions): Pick<AdvanceRequest, 'changes' | 'changer'> {
  return { changes: changes ?? null, changer: { by: by ?? null, surface } }
}
