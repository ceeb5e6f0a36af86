import { A_TEXT, ANYTHING, checkFields, checkValue, orNothing, type Rules } from '../../core/given-fields.ts'
import { plainEvent } from '../../core/journal/event.ts'
import { runRefusals } from '../../core/refusals/run-refusals.ts'
import { unknownRun } from '../../core/run/unknown-run.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { RunView } from '../views/run-view.ts'

/** Ends a run, in the name of a person. */
export interface CancelOptions {
  readonly by: string
  readonly reason?: string | null
}

/** `requested`: another process works on the run and ends it as soon as its tools have stopped. `done`: it was over before. */
export interface Cancelled {
  readonly outcome: 'cancelled' | 'requested' | 'done'
  readonly run: RunView
}

const OPTIONS: Rules<CancelOptions> = { by: ANYTHING, reason: orNothing(A_TEXT) }

/**
 * Writes the wish down and withdraws every open hold: from here on no decision of the run is taken. False if the run
 * has its end already. @throws RefusedError `unknown_run`, or `invalid_cancel` if no name is given.
 */
export async function requestCancel(runtime: Runtime, runId: string, options: CancelOptions): Promise<boolean> {
  const { by, reason = null } = checkFields('cancel', options ?? {}, OPTIONS)
  checkValue('The id of a run', runId, A_TEXT)
  if (typeof by !== 'string' || by.trim() === '') throw runRefusals.invalidCancel()
  const requested = await runtime.store.request({
    run_id: runId,
    event: plainEvent({ kind: 'cancel.requested', run_id: runId, data: { by, reason } }),
    withdraw: true,
    unlessWaiting: false,
  })
  if (requested === null) throw unknownRun(runId)
  return requested.outcome === 'recorded'
}
