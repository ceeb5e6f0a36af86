import { afterwards } from '../../async/afterwards.ts'
import { mayBegin } from '../../core/journal/may-run.ts'
import { plain } from '../../core/plain/plain.ts'
import type { Termination } from '../../core/run/termination.ts'
import { readModelOptions } from '../../core/settings/model-settings.ts'
import type { RequestedCall } from '../../ports/agent/model.ts'
import type { AfterInference, BeforeInference, InferenceParameters, Nothing } from '../../ports/agent/plugin.ts'
import { usableCalls } from '../definitions/usable.ts'
import { whileCancellable } from '../session/cancellation.ts'
import { pluginsWith, runPhase } from '../session/phases.ts'
import type { RunSession } from '../session/run-session.ts'
import { askModel, type Inference, parametersOf } from './ask-model.ts'
import { mayForce } from './end-step.ts'
import { journalAnswer } from './journal-answer.ts'

const ENDED: Termination = { type: 'behavior_requested' }

/** One inference, from what the model is told to what it said. A cut-off one is made again, with its hooks. */
export async function inferStep(session: RunSession): Promise<Termination | null> {
  deliverQueued(session)
  session.watchTime()
  await session.refreshAgent()
  await tellStart(session)
  const parameters = await beforeInference(session)
  if (parameters === null) return ENDED
  const { run, thread } = session
  if (run.checkpoint === null || run.checkpoint.seq < thread.seq) session.stageCheckpoint('step')
  await session.flush()
  // With it a word may have been taken in that the model is to hear first.
  if (!mayBegin(session.run)) return null
  const asked = await whileCancellable(session, signal => askModel(session, parameters, signal))
  return takeIn(session, asked)
}

/** Queued messages join the conversation at a step's boundary, which is always a valid place. */
function deliverQueued(session: RunSession): void {
  const count = session.run.queue.length
  if (count === 0) return
  session.stage('message.delivered', { count, active_ms: session.time.activeMs })
  // The work for which it stopped what ran begins here.
  session.signals.renew()
}

async function tellStart(session: RunSession): Promise<void> {
  if (!session.run.run_start_passed) {
    await runPhase(session, { phase: 'runStart', run: (hook, view) => hook(view) })
    if ((await pluginsWith(session, 'runStart')).length > 0) session.stage('phase.passed', { phase: 'run_start' })
  }
  await runPhase(session, { phase: 'stepStart', run: (hook, view) => hook(view) })
}

/** `null` if a plugin wants no answer at all. Each plugin sees the parameters after the ones before it. */
async function beforeInference(session: RunSession): Promise<InferenceParameters | null> {
  let parameters = await parametersOf(session)
  const said = await runPhase(session, {
    phase: 'beforeInference',
    run: async (hook, view) => {
      const { tools } = parameters
      const result = await hook(view, Object.freeze({ ...parameters, tools: Object.freeze([...tools]) }))
      if (result) parameters = { ...parameters, ...changes(result) }
      return result
    },
  })
  return said.some(({ result }) => 'skip' in result && result.skip) ? null : parameters
}

/** @throws if an option of the model has an unusable value: then the hook has failed. */
function changes(result: BeforeInference): Partial<InferenceParameters> {
  const { setState: _, skip: __, ...said } = { skip: false, ...result }
  readModelOptions(said)
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
}

async function takeIn(session: RunSession, { answer, model, callIds }: Inference): Promise<Termination | null> {
  let { calls } = answer
  let forced_by: string | null = null
  const said = await runPhase(session, {
    phase: 'afterInference',
    run: (hook, view) => afterwards(hook(view, plain({ text: answer.text, calls })), usable),
  })
  for (const { plugin, result } of said) {
    if (!result.calls) continue
    if (isForced(calls, result.calls) && !mayForce(session, plugin)) continue
    if (isForced(calls, result.calls)) forced_by = plugin
    calls = result.calls
  }
  const { tools } = await session.agent()
  journalAnswer(session, { ...answer, calls }, { model, forced_by, callIds, tools })
  return said.some(({ result }) => result.end) ? ENDED : null
}

/** @throws if its calls are no calls: then the hook has failed. */
function usable(said: AfterInference | Nothing): AfterInference | Nothing {
  return said?.calls ? { ...said, calls: usableCalls(said.calls) } : said
}

/** The model was done, and a plugin has it go on. */
function isForced(before: readonly RequestedCall[], after: readonly RequestedCall[]): boolean {
  return before.length === 0 && after.length > 0
}
