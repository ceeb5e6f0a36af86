/**
 * The only way to end a run (docs/design/runs.md#termination). Its calls are closed with a visible result, its holds
 * are withdrawn, and its plugins are notified: all of it only if no one else wrote meanwhile.
 */
import { messageOf } from '../../core/errors.ts'
import { isInterrupted } from '../../core/journal/may-run.ts'
import { openHolds, type Run, type Step } from '../../core/journal/thread.ts'
import { describeEnd, type Termination } from '../../core/run/termination.ts'
import { isFinal, outcomeUnknown, type ToolCall } from '../../core/run/tool-call.ts'
import type { HookSession } from '../session/hook-view.ts'
import { pluginsWith, runPhase } from '../session/phases.ts'
import type { RunSession } from '../session/run-session.ts'
import { CutShortError, InterruptedError, OutOfTimeError } from '../session/run-signals.ts'
import { stopCalls } from './attend-calls.ts'

/** The run is over, so what it is doing is to stop. */
class RunEndsError extends CutShortError {
  readonly code = 'run_ends'
  readonly because: string

  constructor(termination: Termination) {
    super(`The run ends: ${describeEnd(termination)}.`)
    this.because = describeEnd(termination)
  }
}

/** Ends that nothing in the journal would lead to again: they are written before anything could come between. */
const STICKS: Record<Termination['type'], boolean> = {
  natural_end: false,
  behavior_requested: true,
  stopped: false,
  cancelled: false,
  blocked: true,
  error: false,
}

/**
 * Stages the end. It is written with the rest that follows, unless another process wrote first: then the run continues.
 */
export async function endRun(session: RunSession, termination: Termination): Promise<void> {
  if (session.underway.ids.size > 0) await stopCalls(session, new RunEndsError(termination))
  if (STICKS[termination.type]) announce(session, termination)
  session.beginRest()
  closeStep(session, describeEnd(termination))
  if (await hasPluginsToTell(session)) {
    // From here on the end is certain, even if this process dies.
    announce(session, termination)
    if (!(await session.rest({ release: false }))) return
    await tellPlugins(session, termination)
    session.beginRest()
  }
  session.stageCheckpoint('end')
  session.stage('run.finished', { termination })
}

/**
 * A waiting message interrupts, or gets time of its own once the time is up: the step is closed, and the run continues
 * with the message. If another process writes meanwhile, those events are read first.
 */
export async function cutStep(session: RunSession): Promise<null> {
  const reason = isInterrupted(session.run) ? new InterruptedError() : new OutOfTimeError()
  if (session.underway.ids.size > 0) await stopCalls(session, reason)
  session.beginRest()
  closeStep(session, reason.because)
  await session.flush()
  if (session.run.step === null) session.underway.abandon()
  return null
}

function announce(session: RunSession, termination: Termination): void {
  if (session.run.ending === null) session.stage('run.ending', { termination })
}

/** P5: every call gets a result, even one that will never run. */
function closeStep(session: RunSession, because: string): void {
  const { step } = session.run
  if (step) closeCalls(session, step, because)
  for (const { id: hold_id, call_id } of openHolds(session.run)) {
    session.stage('hold.withdrawn', { hold_id, call_id, because })
  }
}

function closeCalls(session: RunSession, step: Step, because: string): void {
  for (const call of step.calls.values()) {
    if (isFinal(call.status)) continue
    const error = hasBegun(session.run, call)
      ? outcomeUnknown(`${because}${session.underway.ids.has(call.id) ? ', and it did not stop in time' : ''}`)
      : { code: 'TOOL_CALL_CANCELLED', message: `${because}; it did not run.` }
    session.stage('call.finished', { call_id: call.id, status: 'cancelled', output: null, error })
  }
  session.stage('step.ended', { step: step.number })
}

/** P11: a closed call is never reported as not run if it may have run, even if it asked people while it ran. */
function hasBegun({ holds }: Run, { status, attempt, hold_id }: ToolCall): boolean {
  return status === 'running' || attempt > 0 || (hold_id !== null && holds.get(hold_id)?.kind === 'in_doubt')
}

/** A run can be cancelled without its agent: if the agent cannot be loaded, no plugin is notified. */
async function hasPluginsToTell(session: HookSession): Promise<boolean> {
  try {
    return (await pluginsWith(session, 'runEnd')).length > 0
  } catch (thrown) {
    session.stage('note', { about: 'run_end', message: `The plugins could not be told: ${messageOf(thrown)}` })
    return false
  }
}

async function tellPlugins(session: HookSession, termination: Termination): Promise<void> {
  await runPhase(session, {
    phase: 'runEnd',
    evenIfStopped: true,
    run: (hook, view) => hook(view, termination),
    onFailure: (plugin, thrown) => {
      session.stage('note', { about: 'run_end', message: `The plugin ${plugin} failed: ${messageOf(thrown)}` })
      return {}
    },
  })
}
