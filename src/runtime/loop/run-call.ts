/**
 * Runs one tool, claimed before, to its outcome. A failed call fails nothing but itself. Keeps P11: a tool that returned has
 * succeeded, and one that threw after it was told to stop may have had its effect.
 */

import { isToolError, messageOf } from '../../core/errors.ts'
import { keptResult } from '../../core/message/kept-result.ts'
import type { CallError, ToolCall } from '../../core/run/tool-call.ts'
import type { JsonObject } from '../../core/text/json.ts'
import type { Suspended } from '../../ports/agent/suspended.ts'
import type { Tool, ToolContext } from '../../ports/agent/tool.ts'
import { usableRequest } from '../definitions/usable.ts'
import { askedAnew, type SuspendedBefore } from '../gate/suspended-before.ts'
import { noteRunning } from '../lease/running-tools.ts'
import type { RunSession } from '../session/run-session.ts'
import type { Outcome } from '../session/underway-calls.ts'
import { limitsOf } from '../views/message-content.ts'
import { CallReports } from './call-reports.ts'

export interface ClaimedCall {
  readonly call: ToolCall
  readonly tool: Tool
  readonly args: JsonObject
  readonly idempotencyKey: string
  /** The hold that its tool waited for. */
  readonly suspended: SuspendedBefore | null
  /** The real place that its arguments led to when it was ruled on. */
  readonly leadsTo: string | null
}

/** Never rejects. */
export async function runCall(session: RunSession, claimed: ClaimedCall): Promise<Outcome> {
  const { call, tool, args } = claimed
  const { signal } = session.signals
  const suspension: Suspension = { asking: null }
  const reports = new CallReports(session, call.id)
  try {
    await reports.open()
    // P3: it is told to stop before the effect, so the next process may begin it.
    if (signal.aborted) return { type: 'unbegun' }
    using _ = noteRunning(session.runtime.liveness.self, claimed.idempotencyKey)
    const returned = await tool.execute(args, contextOf(session, claimed, { suspension, reports }))
    return suspended(suspension, tool) ?? { type: 'succeeded', ...keptResult(returned, limitsOf(session.runtime)) }
  } catch (thrown) {
    return suspended(suspension, tool) ?? endOf(thrown, signal.aborted)
  } finally {
    reports.close()
  }
}

interface Hooks {
  readonly suspension: Suspension
  readonly reports: CallReports
}

function contextOf(
  session: RunSession,
  { call, idempotencyKey, suspended: before, leadsTo }: ClaimedCall,
  { suspension, reports }: Hooks,
): ToolContext {
  // The last message is the answer that asked for this call.
  const said = session.thread.messages.length - 1
  const { run, runtime, signals } = session
  return {
    idempotencyKey,
    decision: before?.decision ?? null,
    suspended: before && suspendedFor(session, before, suspension),
    ...(leadsTo !== null && { leadsTo }),
    runId: run.id,
    agent: run.profile.agent,
    threadId: session.thread.id,
    graphs: runtime.store.graphs,
    toolCallId: call.id,
    abortSignal: signals.signal,
    get messages() {
      return structuredClone(session.thread.messages.slice(0, said))
    },
    workdir: run.profile.workdir,
    suspend: request => {
      suspension.asking ??= { request: usableRequest(request) }
      throw new SuspendedError()
    },
    report: reports.tell,
  }
}

function endOf(thrown: unknown, isStopped: boolean): Outcome {
  if (isStopped && hasNotBegun(thrown)) return { type: 'unbegun' }
  return { type: isStopped ? 'unknown' : 'failed', error: asCallError(thrown) }
}

/** The tool itself says that it was stopped before any effect. */
function hasNotBegun(thrown: unknown): boolean {
  return isToolError(thrown) && thrown.code === 'TOOL_CALL_NOT_BEGUN'
}

/** As a tool sees it. */
function suspendedFor(session: RunSession, before: SuspendedBefore, suspension: Suspension): Suspended {
  const { hold, decision, asked } = before
  return {
    holdId: hold.id,
    context: asked?.context ?? null,
    decision,
    confirm: (basis, anew) => {
      const asking = askedAnew(session, before, { basis, anew })
      if (asking === null) return
      suspension.asking ??= { ...asking, request: usableRequest(asking.request) }
      throw new SuspendedError()
    },
  }
}

interface Suspension {
  asking: Asking | null
}

type Asking = Omit<Extract<Outcome, { readonly type: 'suspended' }>, 'type'>

/** Unwinds the tool that suspended itself. */
class SuspendedError extends Error {}

/** A tool that suspended itself is suspended, even if it returned or threw later. */
function suspended({ asking }: Suspension, tool: Tool): Outcome | null {
  if (asking === null) return null
  const resumeMode = tool.resumeMode ?? 'pass_decision_to_tool'
  return { type: 'suspended', ...asking, request: { resumeMode, ...asking.request } }
}

function asCallError(thrown: unknown): CallError {
  return { code: isToolError(thrown) ? thrown.code : 'TOOL_CALL_FAILED', message: messageOf(thrown) }
}
