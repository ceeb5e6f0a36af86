import { afterwards } from '../../async/afterwards.ts'
import type { JournalledCall } from '../../core/journal/event.ts'
import { mayBegin } from '../../core/journal/may-run.ts'
import { partsBeside } from '../../core/message/answer-content.ts'
import type { AnswerPart } from '../../core/message/part.ts'
import { plain } from '../../core/plain/plain.ts'
import type { CallIds } from '../../core/run/call-ids.ts'
import { type Unfinished, unfinishedIn } from '../../core/run/outcome/unfinished-answer.ts'
import type { Termination } from '../../core/run/termination.ts'
import { readModelOptions } from '../../core/settings/model-settings.ts'
import type { ModelAnswer, RequestedCall } from '../../ports/agent/model.ts'
import type { AfterInference, BeforeInference, InferenceParameters, Nothing } from '../../ports/agent/plugin.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { usableCalls } from '../definitions/usable.ts'
import { readArguments } from '../gate/fit-arguments.ts'
import { askModel, type Inference, parametersOf } from '../inference/ask-model.ts'
import { keepWithin, shortenRefused } from '../inference/keep-within.ts'
import { recordNotOffered, ruledAnswer } from '../inference/provider-tools.ts'
import { recordUnfit, repairRequest } from '../inference/repair-request.ts'
import { whileCancellable } from '../session/cancellation.ts'
import type { HookSession } from '../session/hook-view.ts'
import { pluginsWith, runPhase } from '../session/phases.ts'
import type { RunSession } from '../session/run-session.ts'
import { switchModel, withStandIn } from './stand-in.ts'

const ENDED: Termination = { type: 'behavior_requested' }

/** One inference, from the input of the model to its answer. A cut-off one is repeated, with its hooks. */
export async function inferStep(session: RunSession): Promise<Termination | null> {
  deliverQueued(session)
  session.watchTime()
  await session.refreshAgent()
  await tellStart(session)
  const wanted = await beforeInference(session)
  if (wanted === null) return ENDED
  const known = withStandIn(session, wanted)
  await recordUnfit(session, known)
  recordNotOffered(session, known)
  const parameters = await keepWithin(session, known)
  const { run, thread } = session
  if (run.checkpoint === null || run.checkpoint.seq < thread.seq) session.stageCheckpoint('step')
  await session.flush()
  // With it a word may have been taken in that the model is to hear first.
  if (!mayBegin(session.run)) return null
  const asked = await askedOrRepaired(session, parameters)
  return asked && takeIn(session, asked)
}

/** `null` if the request was refused and repaired, or another model is to answer it: the next move asks again. */
async function askedOrRepaired(session: RunSession, parameters: InferenceParameters): Promise<Inference | null> {
  try {
    return await whileCancellable(session, signal => askModel(session, parameters, signal))
  } catch (thrown) {
    if (!(await shortenRefused(session, thrown, parameters)))
      await repairRequest(session, thrown, parameters).catch(unrepaired => switchModel(session, unrepaired, parameters))
    return null
  }
}

/** Queued messages join the conversation at a step's boundary, which is always a valid place. */
function deliverQueued(session: RunSession): void {
  const count = session.run.queue.length
  if (count === 0) return
  session.stage('message.delivered', { count, active_ms: session.time.activeMs })
  // The work for which it stopped what ran begins here.
  session.signals.renew()
}

async function tellStart(session: HookSession): Promise<void> {
  if (!session.run.run_start_passed) {
    await runPhase(session, { phase: 'runStart', run: (hook, view) => hook(view) })
    if ((await pluginsWith(session, 'runStart')).length > 0) session.stage('phase.passed', { phase: 'run_start' })
  }
  await runPhase(session, { phase: 'stepStart', run: (hook, view) => hook(view) })
}

/** `null` if a plugin wants no answer at all. Each plugin sees the parameters after the ones before it. */
async function beforeInference(session: RunSession): Promise<InferenceParameters | null> {
  let parameters = await parametersOf(session)
  const answers = await runPhase(session, {
    phase: 'beforeInference',
    run: async (hook, view) => {
      const { tools } = parameters
      const result = await hook(view, Object.freeze({ ...parameters, tools: Object.freeze([...tools]) }))
      if (result) parameters = { ...parameters, ...changes(result) }
      return result
    },
  })
  return answers.some(({ result }) => 'skip' in result && result.skip) ? null : parameters
}

/** @throws if an option of the model has an unusable value: then the hook has failed. */
function changes(result: BeforeInference): Partial<InferenceParameters> {
  const { setState: _, skip: __, ...changed } = { skip: false, ...result }
  readModelOptions(changed)
  return Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined))
}

async function takeIn(
  session: RunSession,
  { answer: given, model, callIds, ...counted }: Inference,
): Promise<Termination | null> {
  const { answer, end } = ruledAnswer(session, given)
  let { calls } = answer
  let forced_by: string | null = null
  const answers = await runPhase(session, {
    phase: 'afterInference',
    run: (hook, view) => afterwards(hook(view, plain({ text: answer.text, calls })), usable),
  })
  for (const { plugin, result } of answers) {
    if (!result.calls) continue
    if (isForced(calls, result.calls) && !mayForce(session, plugin)) continue
    if (isForced(calls, result.calls)) forced_by = plugin
    calls = result.calls
  }
  const { tools } = await session.agent()
  // Calls that a plugin asks for are not the model's.
  const unfinished = forced_by === null ? unfinishedIn(answer) : null
  journalAnswer(session, { ...answer, calls }, { model, forced_by, callIds, tools, unfinished, ...counted })
  return end ?? endBy(answers)
}

function endBy(answers: readonly { readonly result: AfterInference }[]): Termination | null {
  return answers.some(({ result }) => result.end) ? ENDED : null
}

/** @throws if its calls are no calls: then the hook has failed. */
function usable(said: AfterInference | Nothing): AfterInference | Nothing {
  return said?.calls ? { ...said, calls: usableCalls(said.calls) } : said
}

/** The model was done, and a plugin has it go on. */
function isForced(before: readonly RequestedCall[], after: readonly RequestedCall[]): boolean {
  return before.length === 0 && after.length > 0
}

interface Answering {
  readonly model: string
  readonly forced_by: string | null
  readonly unfinished: Unfinished | null
  readonly estimated?: number
  readonly callIds: CallIds
  /** The agent's tools, by name. */
  readonly tools: ReadonlyMap<string, Tool>
}

/** Stages a model's answer as the step it begins. */
function journalAnswer(
  session: RunSession,
  answer: ModelAnswer,
  { callIds, tools, unfinished, ...by }: Answering,
): void {
  const step = session.run.steps + 1
  const calls = answer.calls.map(call => journalled(call, { callIds, tools }))
  const parts = answer.parts ? partsBeside(placed(answer.parts, calls)) : null
  session.stage('step.started', { step })
  for (const message of answer.warnings ?? [])
    if (!session.run.warned.has(message)) session.stage('note', { about: 'model', message, warned_by: by.model })
  session.stage('model.answered', {
    text: answer.text,
    ...(parts && { parts }),
    calls,
    usage: answer.usage,
    finish_reason: answer.finish_reason,
    ...(unfinished && { unfinished }),
    ...by,
  })
}

/** The calls among the parts by the ids that they have from here on; one that a plugin took back has no place. */
function placed(parts: readonly AnswerPart[], calls: readonly JournalledCall[]): AnswerPart[] {
  const left = [...calls]
  return parts.flatMap((part): AnswerPart[] => {
    if (part.type !== 'tool_call') return [part]
    const index = left.findIndex(({ id, provider_id }) => (provider_id ?? id) === part.id)
    const [call] = index < 0 ? [] : left.splice(index, 1)
    return call ? [{ type: 'tool_call', id: call.id }] : []
  })
}

function journalled(call: RequestedCall, { callIds, tools }: Pick<Answering, 'callIds' | 'tools'>): JournalledCall {
  const id = callIds.take(call.id)
  return {
    id,
    name: call.name,
    arguments: readArguments(call.arguments, tools.get(call.name)?.inputSchema ?? null),
    provider_id: id === call.id ? null : call.id,
    metadata: call.metadata,
  }
}

/** How often plugins may make a run go on for one input (docs/design/runs.md#input-providers). */
const MOST_FORCED = 3

/** Ends the step. If it was the agent's last word, a plugin may make the run go on. */
export async function endStep(session: HookSession): Promise<Termination | null> {
  session.stage('step.ended', { step: session.run.steps })
  const answers = await runPhase(session, { phase: 'stepEnd', run: (hook, view) => hook(view) })
  const wish = answers.find(({ result }) => result.continueWith !== undefined)
  if (wish && session.run.concluding && mayForce(session, wish.plugin)) {
    const content = String(wish.result.continueWith)
    session.stage('message.received', { content, author: null, forced_by: wish.plugin })
  }
  return null
}

/** False, and noted, past the cap: a plugin that never has enough does not keep a run going for ever. */
function mayForce(session: HookSession, plugin: string): boolean {
  if (session.run.forced < MOST_FORCED) return true
  const message = `The plugin ${plugin} wanted the run to go on a ${MOST_FORCED + 1}th time, which is too often.`
  session.stage('note', { about: 'forced_continuation', message })
  return false
}
