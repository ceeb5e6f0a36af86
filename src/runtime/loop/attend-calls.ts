/** Waits for the calls under way, and puts what became of them into the journal. */
import { gracePeriod } from '../../async/grace-period.ts'
import { messageOf } from '../../core/errors.ts'
import type { EventData } from '../../core/journal/event.ts'
import { keptResult } from '../../core/message/kept-result.ts'
import type { MessageLimits } from '../../core/message/limits.ts'
import type { Termination } from '../../core/run/termination.ts'
import { type CallError, outcomeUnknown, type ToolCall } from '../../core/run/tool-call.ts'
import { frozen } from '../../core/text/frozen.ts'
import type { AfterToolExecute, CallResult } from '../../ports/agent/plugin.ts'
import { usableError } from '../definitions/usable.ts'
import { holdInDoubt } from '../doubt/hold-in-doubt.ts'
import { GRACE_MS } from '../foreign/reach-foreign.ts'
import { holdInLimit } from '../gate/hold-in-limit.ts'
import { somethingHappens } from '../session/cancellation.ts'
import { callForHook } from '../session/hook-view.ts'
import { runPhase } from '../session/phases.ts'
import type { RunSession } from '../session/run-session.ts'
import { CutShortError } from '../session/run-signals.ts'
import type { FinishedCall, Outcome } from '../session/underway-calls.ts'
import { limitsOf } from '../views/message-content.ts'

/**
 * Until something happens. Those that finished together are staged together. The end of the run, if a tool asks people and
 * the run may not pause.
 */
export async function attendCalls(session: RunSession): Promise<Termination | null> {
  // With it may have been taken in what changes what is next.
  if (await session.flush()) return null
  await somethingHappens(session)
  return takeIn(session)
}

/** Asks all tools to stop and waits for them during the grace period. */
export async function stopCalls(session: RunSession, reason: Error): Promise<void> {
  const { underway, signals, runtime } = session
  signals.stop(reason)
  using grace = gracePeriod(runtime.clock, GRACE_MS)
  const isOver = grace.over.then(() => true)
  while (underway.ids.size > 0) {
    if (await Promise.race([underway.finished.then(() => false), isOver])) break
    await takeIn(session)
  }
}

async function takeIn(session: RunSession): Promise<Termination | null> {
  let end: Termination | null = null
  for (const finished of session.underway.take()) {
    const ended = await stageOutcome(session, finished)
    end ??= ended
  }
  return end
}

async function stageOutcome(session: RunSession, { call, tool, outcome }: FinishedCall): Promise<Termination | null> {
  for (const message of outcome.warnings ?? []) session.stage('note', { about: 'tools', message, warned_by: tool.name })
  if (outcome.type === 'suspended') {
    const why = { because: `${tool.name} asks`, plugin: null }
    const { request, lastDeciders = null } = outcome
    return holdInLimit(session, { call, tool, request, lastDeciders, why })
  }
  if (outcome.type === 'unbegun') {
    session.stage('call.unclaimed', { call_id: call.id, status: call.status })
    return null
  }
  if (outcome.type === 'in_doubt') {
    const left = { started: null, because: outcome.because }
    await holdInDoubt(session, { call: session.run.step?.calls.get(call.id) ?? call, tool, left })
    return null
  }
  const result = await lookedAt(session, { call, tool }, firstResult(outcome))
  if (outcome.type === 'unknown') stageUnknown(session, call, result)
  else session.stage('call.finished', { call_id: call.id, status: outcome.type, ...journalled(result) })
  return null
}

/**
 * P3, P11: nobody knows whether the call took effect. If the run continues elsewhere, the claim stays, and whoever
 * recovers it decides. Otherwise the model learns that it is unknown.
 */
function stageUnknown(session: RunSession, { id: call_id }: ToolCall, { output, parts, error }: CallResult): void {
  const { reason } = session.signals.signal
  if (session.signal.aborted || !(reason instanceof CutShortError)) {
    const why = session.signal.aborted ? 'its process was told to stop while it ran' : whyLetGo(reason)
    session.stage('call.cut_off', { call_id, status: 'running', because: why, said: error?.message ?? null })
    return
  }
  const unknown = outcomeUnknown(reason.because, error)
  session.stage('call.finished', {
    call_id,
    status: 'cancelled',
    ...journalled({ output, ...(parts && { parts }), error: unknown }),
  })
}

function whyLetGo(reason: unknown): string {
  return `its process could not go on with the run (${messageOf(reason)})`
}

function journalled({ output, parts, error }: CallResult): Omit<EventData['call.finished'], 'call_id' | 'status'> {
  return { ...(parts ? { output: null, parts } : { output }), error }
}

function firstResult(outcome: Exclude<Outcome, { readonly type: 'suspended' | 'unbegun' | 'in_doubt' }>): CallResult {
  if (outcome.type !== 'succeeded') return { output: null, error: outcome.error }
  const { output, parts } = outcome
  return { output, ...(parts && { parts }), error: null }
}

/**
 * The result after all plugins, each applied to the one before. They change how it is reported, never how it ended
 * (P11). If a plugin fails, the result is withheld: it may be a secret.
 */
async function lookedAt(
  session: RunSession,
  { call, tool }: Pick<FinishedCall, 'call' | 'tool'>,
  first: CallResult,
): Promise<CallResult> {
  let result = first
  await runPhase(session, {
    phase: 'afterToolExecute',
    evenIfStopped: true,
    run: async (hook, view) => {
      const change = await hook(view, callForHook(call, { tool }), frozen({ ...result }))
      if (change) result = changed(result, change, limitsOf(session.runtime))
      return change
    },
    onFailure: (plugin, thrown) => {
      result = withheld(result, `the plugin ${plugin} failed on it (${messageOf(thrown)})`)
      return {}
    },
  })
  return result
}

function changed(result: CallResult, { setResult, setError }: AfterToolExecute, limits: MessageLimits): CallResult {
  if (setError) return { output: null, error: judged(result, usableError(setError)) }
  return setResult === undefined ? result : { ...keptResult(setResult, limits), error: result.error }
}

/** A plugin that minds a result does not undo the effect. */
function judged({ error }: CallResult, { code, message }: CallError): CallError {
  return error ? { code, message } : { code, message: `${message} (The call itself ran to its end.)` }
}

function withheld({ error }: CallResult, because: string): CallResult {
  if (error === null) return { output: `It ran to its end; its result is withheld: ${because}.`, error }
  return { output: null, error: { code: 'RESULT_WITHHELD', message: `what it said is withheld: ${because}.` } }
}
