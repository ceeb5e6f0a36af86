/**
 * Keeps P3: the claim of an effect is durable before the effect starts, and its result is staged before anything
 * depends on it. Keeps P9: what was approved is what runs.
 */
import { isToolError, messageOf, ToolError } from '../core/errors.ts'
import { isTooDeep, type Json, type JsonObject } from '../core/json.ts'
import type { CallError, ToolCall } from '../core/tool-call.ts'
import type { Tool } from '../ports/tool.ts'
import { callDigest } from './call-digest.ts'
import { gateChanged } from './gate-calls.ts'
import type { RunSession } from './run-session.ts'

/** How long a tool may take to stop once it was told to. Past that it is left in doubt. */
const GRACE_MS = 10_000

export async function executeCall(session: RunSession, call: ToolCall): Promise<void> {
  const { tools } = await session.agent()
  const tool = tools.get(call.name)
  const args = call.final_arguments
  if (!tool || typeof args === 'string') return finish(session, call, gone(call))
  const digest = callDigest(session.runtime.ids, { name: call.name, arguments: args, schema: tool.inputSchema })
  if (hasDrifted(session, call, digest)) return gateChanged(session, { call, tool, args })

  const validated = await tool.validate(args)
  session.signal.throwIfAborted()
  if (!validated.ok) return finish(session, call, { code: 'INVALID_ARGUMENTS', message: validated.issues })
  const idempotencyKey = `${session.thread.id}/${call.id}`
  session.stage('call.started', {
    call_id: call.id,
    status: 'running',
    attempt: call.attempt + 1,
    idempotency_key: idempotencyKey,
    digest,
  })
  await session.flush()
  await runTool(session, { call, tool, args: validated.value, idempotencyKey })
}

interface Claimed {
  readonly call: ToolCall
  readonly tool: Tool
  readonly args: JsonObject
  readonly idempotencyKey: string
}

async function runTool(session: RunSession, claimed: Claimed): Promise<void> {
  const { call, tool, args, idempotencyKey } = claimed
  const { workdir } = session.run.profile
  const context = { toolCallId: call.id, idempotencyKey, abortSignal: session.signal, workdir }
  try {
    const work = (async () => tool.execute(args, context))()
    const output = await withinGrace(session.signal, work)
    if (isTooDeep(output)) throw new ToolError('RESULT_NOT_JSON', 'its result is nested too deeply.')
    session.stage('call.finished', { call_id: call.id, status: 'succeeded', output, error: null })
  } catch (thrown) {
    if (thrown instanceof NotStopped) throw thrown
    finish(session, call, asCallError(thrown), session.signal.aborted ? 'cancelled' : 'failed')
  }
}

/** A tool that ignores its abort signal: its call stays `running` in the journal, which the next process reads as in doubt. */
export class NotStopped extends Error {}

async function withinGrace(signal: AbortSignal, work: Promise<Json>): Promise<Json> {
  const { promise, reject } = Promise.withResolvers<never>()
  let timer: NodeJS.Timeout | undefined
  const onAbort = () => {
    timer = setTimeout(() => reject(new NotStopped()), GRACE_MS)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

function hasDrifted(session: RunSession, call: ToolCall, digest: string): boolean {
  const hold = call.hold_id === null ? undefined : session.run.holds.get(call.hold_id)
  return typeof hold?.decision?.digest === 'string' && hold.decision.digest !== digest
}

function finish(
  session: RunSession,
  call: ToolCall,
  error: CallError,
  status: 'failed' | 'cancelled' = 'failed',
): void {
  session.stage('call.finished', { call_id: call.id, status, output: null, error })
}

function gone(call: ToolCall): CallError {
  return { code: 'UNKNOWN_TOOL', message: `the tool ${call.name} is no longer there.` }
}

function asCallError(thrown: unknown): CallError {
  return { code: isToolError(thrown) ? thrown.code : 'TOOL_CALL_FAILED', message: messageOf(thrown) }
}
