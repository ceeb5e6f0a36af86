/** Waits for the calls under way, and puts what became of them into the journal. */
import { gracePeriod } from '../../async/grace-period.ts'
import { messageOf } from '../../core/errors.ts'
import type { MessageLimits } from '../../core/message/limits.ts'
import type { Termination } from '../../core/run/termination.ts'
import type { CallError } from '../../core/run/tool-call.ts'
import { frozen } from '../../core/text/frozen.ts'
import type { AfterToolExecute, CallResult } from '../../ports/agent/plugin.ts'
import { usableError, usableResult } from '../definitions/usable.ts'
import { holdInLimit } from '../gate/hold-in-limit.ts'
import { GRACE_MS, somethingHappens } from '../session/cancellation.ts'
import { callForHook } from '../session/hook-view.ts'
import { runPhase } from '../session/phases.ts'
import type { RunSession } from '../session/run-session.ts'
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

/** Tells all tools to stop and waits for them during the grace period. False if some did not stop. */
export async function stopCalls(session: RunSession, reason: Error): Promise<boolean> {
  const { underway, signals, runtime } = session
  signals.stop(reason)
  using grace = gracePeriod(runtime.clock, GRACE_MS)
  const isOver = grace.over.then(() => true)
  while (underway.ids.size > 0) {
    if (await Promise.race([underway.finished.then(() => false), isOver])) break
    await takeIn(session)
  }
  return underway.ids.size === 0
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
  if (outcome.type === 'suspended') {
    const why = { because: `${tool.name} asks`, plugin: null }
    return holdInLimit(session, { call, tool, request: outcome.request, why })
  }
  if (outcome.type === 'unbegun') {
    session.stage('call.unclaimed', { call_id: call.id, status: call.status })
    return null
  }
  const first = firstResult(outcome)
  const { output, parts, error } = await lookedAt(session, { call, tool }, first)
  session.stage('call.finished', {
    call_id: call.id,
    status: error && !first.error ? 'failed' : outcome.type,
    ...(parts ? { output: null, parts } : { output }),
    error,
  })
  return null
}

function firstResult(outcome: Exclude<Outcome, { readonly type: 'suspended' | 'unbegun' }>): CallResult {
  if (outcome.type !== 'succeeded') return { output: null, error: outcome.error }
  const { output, parts } = outcome
  return { output, ...(parts && { parts }), error: null }
}

/**
 * The result after the plugins, each on top of the one before. If a plugin fails, the result is withheld: it may be a
 * secret.
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
      const said = await hook(view, callForHook(call, { tool }), frozen({ ...result }))
      if (said) result = changed(result, said, limitsOf(session.runtime))
      return said
    },
    onFailure: (plugin, thrown) => {
      result = { output: null, error: withheld(plugin, thrown) }
      return {}
    },
  })
  return result
}

function changed(result: CallResult, { setResult, setError }: AfterToolExecute, limits: MessageLimits): CallResult {
  if (setError) return { output: null, error: usableError(setError) }
  return setResult === undefined ? result : { ...usableResult(setResult, limits), error: result.error }
}

function withheld(plugin: string, thrown: unknown): CallError {
  return {
    code: 'RESULT_WITHHELD',
    message: `the tool ran, but its result is withheld: the plugin ${plugin} failed on it (${messageOf(thrown)}).`,
  }
}
