/**
 * Runs one claimed tool to its outcome. A failed call fails nothing but itself. Keeps P11: a tool that returned has
 * succeeded, and one that threw after its stop may have had its effect.
 */

import { isToolError, messageOf } from '../../core/errors.ts'
import { shownBasis } from '../../core/hold/hold-digests.ts'
import { keptResult } from '../../core/message/kept-result.ts'
import type { CallError, ToolCall } from '../../core/run/tool-call.ts'
import type { JsonObject } from '../../core/text/json.ts'
import type { Suspended } from '../../ports/agent/suspended.ts'
import type { BoxedRules, Tool, ToolContext, ToolReport } from '../../ports/agent/tool.ts'
import type { Ids } from '../../ports/ids.ts'
import { usableRequest } from '../definitions/usable.ts'
import { pausesAreUsedUp } from '../gate/hold-in-limit.ts'
import { askedAnew, type SuspendedBefore } from '../gate/suspended-before.ts'
import { noteRunning } from '../lease/work-standing.ts'
import { sentToModel } from '../session/hook-view.ts'
import { pluginsWith } from '../session/phases.ts'
import type { RunSession } from '../session/run-session.ts'
import type { Outcome } from '../session/underway-calls.ts'
import { limitsOf } from '../views/message-content.ts'

export interface ClaimedCall {
  readonly call: ToolCall
  readonly tool: Tool
  readonly args: JsonObject
  readonly idempotencyKey: string
  /** The hold that its tool waited for. */
  readonly suspended: SuspendedBefore | null
  /** The real place that its arguments led to when it was ruled on. */
  readonly leadsTo: string | null
  /** Set if it runs in a box alone. */
  readonly boxed: BoxedRules | null
  /** The names of all tools of the agent. */
  readonly toolNames: readonly string[]
}

/** The parts of a session that a running call uses: it stages nothing. */
type CallSession = Pick<RunSession, 'thread' | 'run' | 'runtime' | 'signals' | 'plugins' | 'pausesFor' | 'tell'>

/** Never rejects. */
export async function runCall(session: CallSession, claimed: ClaimedCall): Promise<Outcome> {
  const warnings: string[] = []
  const outcome = await outcomeOf(session, claimed, warnings)
  return warnings.length === 0 ? outcome : { ...outcome, warnings }
}

async function outcomeOf(session: CallSession, claimed: ClaimedCall, warnings: string[]): Promise<Outcome> {
  const { call, tool, args } = claimed
  const { signal } = session.signals
  const suspension: Suspension = { asking: null }
  const reports = new CallReports(session, call.id)
  try {
    await reports.open()
    // P3: the tool is stopped before its effect, so the next process may begin it.
    if (signal.aborted) return { type: 'unbegun' }
    using _ = noteRunning(session.runtime.liveness, claimed.idempotencyKey)
    const returned = await tool.execute(args, contextOf(session, claimed, { suspension, reports, warnings }))
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
  readonly warnings: string[]
}

function contextOf(
  session: CallSession,
  { call, idempotencyKey, suspended: before, leadsTo, boxed, toolNames }: ClaimedCall,
  { suspension, reports, warnings }: Hooks,
): ToolContext {
  // The last message is the answer that asked for this call.
  const answerAt = sentToModel(session.thread).length - 1
  const { run, runtime, signals } = session
  return {
    idempotencyKey,
    decision: before?.decision ?? null,
    suspended: before && suspendedFor(runtime.ids, before, suspension),
    ...(leadsTo !== null && { leadsTo }),
    ...(boxed !== null && { boxed }),
    toolNames,
    runId: run.id,
    agent: run.profile.agent,
    threadId: session.thread.id,
    graphs: runtime.store.graphs,
    toolCallId: call.id,
    abortSignal: signals.signal,
    get messages() {
      return structuredClone(sentToModel(session.thread).slice(0, answerAt))
    },
    workdir: run.profile.workdir,
    suspend: request => {
      suspension.asking ??= { request: usableRequest(request) }
      throw new SuspendedError()
    },
    mayAsk: session.pausesFor('question') && !pausesAreUsedUp(run),
    warn: message => void warnings.push(message),
    report: reports.tell,
  }
}

function endOf(thrown: unknown, isStopped: boolean): Outcome {
  if (isStopped && hasCode(thrown, 'TOOL_CALL_NOT_BEGUN')) return { type: 'unbegun' }
  if (hasCode(thrown, 'TOOL_CALL_IN_DOUBT')) return { type: 'in_doubt', because: messageOf(thrown) }
  return { type: isStopped ? 'unknown' : 'failed', error: asCallError(thrown) }
}

/** True if the tool reports how far it got by one of its own codes. */
function hasCode(thrown: unknown, code: string): boolean {
  return isToolError(thrown) && thrown.code === code
}

/** The tool's view of its own earlier hold. */
function suspendedFor(ids: Ids, before: SuspendedBefore, suspension: Suspension): Suspended {
  const { hold, decision, asked } = before
  return {
    holdId: hold.id,
    context: asked?.context ?? null,
    basis: shownBasis(asked ?? {}),
    decision,
    confirm: (basis, anew) => {
      const asking = askedAnew(ids, before, { basis, anew })
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

/** The most characters of output that one call streams: endless output is cut. The result has its own bounds. */
const MOST_TOLD = 1024 * 1024

/** Streams the output of one call while it runs. */
class CallReports {
  readonly #session: CallSession
  readonly #callId: string
  #left = 0

  constructor(session: CallSession, callId: string) {
    this.#session = session
    this.#callId = callId
  }

  /** A plugin that reads results may withhold a secret: then nothing is streamed before the plugin has read it. */
  async open(): Promise<void> {
    const looking = await pluginsWith(this.#session, 'afterToolExecute')
    if (looking.length === 0) this.#left = MOST_TOLD
  }

  readonly tell = ({
    delta,
    stream = null,
  }: Omit<ToolReport, 'stream'> & { readonly stream?: string | null }): void => {
    const told = delta.slice(0, this.#left)
    if (told === '') return
    this.#left -= told.length
    this.#session.tell({ kind: 'tool_output.delta', data: { call_id: this.#callId, stream, delta: told } })
  }

  close(): void {
    this.#left = 0
  }
}
