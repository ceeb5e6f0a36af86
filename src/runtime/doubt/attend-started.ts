/** P3: what a call in doubt had started may still run. People wait for its end, stop it, or leave it and decide at once. */

import { eachChange } from '../../async/each-change.ts'
import { unknownHold } from '../../core/deciding/unknown-hold.ts'
import type { StillRunning } from '../../core/doubt/started-work.ts'
import { RefusedError } from '../../core/errors.ts'
import { A_COUNT, A_NAME, A_SIGNAL, ANYTHING, checkFields, checkValue, type Rules } from '../../core/given-fields.ts'
import type { Decision } from '../../core/hold/decision.ts'
import type { Hold, HoldStatus } from '../../core/hold/hold.ts'
import { objectionToDecider } from '../../core/hold/may-decide.ts'
import { holdRefusals } from '../../core/refusals/hold-refusals.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { requestersNow } from '../holds/requesters-now.ts'
import { asOfNow } from '../lease/as-of-now.ts'
import { idempotencyKey } from '../lease/work-standing.ts'
import { givenId } from '../views/given-queries.ts'

/** The person who stops it, and the surface on which they do. */
export interface StopStartedOptions extends Pick<Decision, 'member_of'> {
  readonly by: string
  readonly surface: string
}

/** How long a wait for what a call in doubt had started takes at most. */
export interface WaitForStartedOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
  /** The longest wait, in milliseconds. Default: until it has ended. */
  readonly timeoutMs?: number | undefined
}

/** The state of the work that a call in doubt had started. */
export interface StartedReport {
  readonly hold_id: string
  readonly hold_status: HoldStatus
  /** `null` if the hold is not open any more. */
  readonly still_running: StillRunning | null
}

export function startedReport({ id, status, still_running }: Hold): StartedReport {
  return { hold_id: id, hold_status: status, still_running: still_running ?? null }
}

const STOP: Rules<StopStartedOptions> = { by: A_NAME, surface: A_NAME, member_of: ANYTHING }
const WAIT: Rules<WaitForStartedOptions> = { signal: A_SIGNAL, timeoutMs: A_COUNT }

/** The end of a process is no change of the store, in milliseconds. */
const LOOK_MS = 250

/**
 * Stops the command of a call in doubt, and decides nothing: SIGTERM, then SIGKILL. On record before it is stopped (P10).
 * @throws RefusedError `nothing_started`, `cannot_be_stopped`, or why this person may not decide; then nothing was stopped.
 */
export async function stopStarted(runtime: Runtime, holdId: string, options: StopStartedOptions): Promise<Hold> {
  const { by: actor, surface, member_of } = checkFields('stopStarted', options ?? {}, STOP)
  checkValue('`by` of stopStarted', actor, A_NAME)
  checkValue('`surface` of stopStarted', surface, A_NAME)
  const { store, liveness } = runtime
  const hold = await startedBy(runtime, holdId)
  const requesters = await requestersNow(store, hold, actor)
  const objection = objectionToDecider({ ...hold, requesters }, { verdict: 'reject', decided_by: actor, member_of })
  if (objection) throw objection
  const { started, still_running, thread_id, run_id, call_id } = hold
  if (still_running.standing === 'ended') return hold
  if (still_running.standing !== 'running' || started.what !== 'command' || !liveness.stopCommand)
    throw holdRefusals.cannotBeStopped(hold.still_running.text, hold.id)
  const data = { process: started.process }
  await store.record([{ kind: 'command.stopped', thread_id, run_id, call_id, hold_id: hold.id, actor, surface, data }])
  await liveness.stopCommand(idempotencyKey(thread_id, call_id))
  return startedBy(runtime, holdId)
}

/**
 * Resolves to the hold once the work that its call had started has ended, as far as this machine can know, or once the
 * wait is over. Decides nothing. @throws RefusedError `nothing_started`
 */
export async function waitForStarted(
  runtime: Runtime,
  holdId: string,
  options: WaitForStartedOptions = {},
): Promise<Hold> {
  const { signal, timeoutMs = Number.POSITIVE_INFINITY } = checkFields('waitForStarted', options, WAIT)
  const { clock, store } = runtime
  const watches = [(onChange: () => void) => store.watch(onChange)]
  const deadline = clock.steady() + timeoutMs
  let hold: Hold = await startedBy(runtime, holdId)
  for await (const _ of eachChange({ clock, watches, signal, deadline, restMs: LOOK_MS, safetyMs: LOOK_MS })) {
    hold = (await store.hold(holdId)) ?? hold
    if (hold.status === 'open') hold = asOfNow(runtime, hold)
    if (hold.still_running?.standing !== 'running') return hold
  }
  return hold
}

type Started = Hold & Required<Pick<Hold, 'started' | 'still_running'>> & { readonly call_id: string }

/** An open hold in doubt, with the state of the work that its call had started. */
async function startedBy(runtime: Runtime, holdId: string): Promise<Started> {
  const found = await runtime.store.hold(givenId('hold', holdId))
  if (found === null) throw unknownHold(holdId)
  const hold = asOfNow(runtime, found)
  if (hold.still_running === undefined) throw nothingStarted(hold)
  return hold as Started
}

function nothingStarted({ id, kind, status }: Hold): RefusedError {
  const message = `${id} (${kind}, ${status}) waits for nothing that runs: nothing is known to have been started for its call.`
  return new RefusedError('nothing_started', message, {
    hint: 'Nothing was done.',
    action: { do: 'look_at_hold', id },
  })
}
