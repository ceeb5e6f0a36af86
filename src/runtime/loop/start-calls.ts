/**
 * Keeps P3: the claims of effects are durable before any of them starts. Keeps P9: what was approved is what runs.
 * All calls that may start are claimed in one commit and then run side by side.
 */

import { nextTurn } from '../../async/next-turn.ts'
import { boxedRules } from '../../core/effect/boxed-rules.ts'
import { mayBegin } from '../../core/journal/may-run.ts'
import { isBatchHeld } from '../../core/journal/next-move.ts'
import { copyArguments } from '../../core/plain/fitted.ts'
import type { Termination } from '../../core/run/termination.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import { isSameJson, type JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { DoubtSession } from '../doubt/hold-in-doubt.ts'
import { fitCall } from '../gate/fit-arguments.ts'
import type { GateSession } from '../gate/gate-session.ts'
import { deny, digestOf } from '../gate/hold-call.ts'
import { holdDrifted } from '../gate/hold-drifted.ts'
import { hasDrifted, holdOf } from '../gate/released-call.ts'
import { suspendedBefore } from '../gate/suspended-before.ts'
import { idempotencyKey } from '../lease/work-standing.ts'
import type { RunSession } from '../session/run-session.ts'
import { checkStart, heldAgain, type Stopped } from './may-start.ts'
import { type ClaimedCall, runCall } from './run-call.ts'

/** The end of the run, if a plugin blocked a released call, or the run may not pause for one. */
export async function startCalls(session: RunSession, calls: readonly ToolCall[]): Promise<Termination | null> {
  await session.refreshAgent()
  const { tools } = await session.agent()
  const ready: ClaimedCall[] = []
  for (const call of calls) {
    const next = await prepare(session, call, tools)
    if (!('end' in next)) ready.push(next)
    else if (next.end) return next.end
  }
  session.signals.throwIfStopped()
  // A plugin, or drift, may have held one of them again: then the rest of its batch waits too.
  const approved = await asApproved(session, ready)
  const starting = isBatchHeld(session.run) ? approved.filter(({ call }) => call.status === 'running') : approved
  for (const each of starting) claim(session, each)
  await session.flush()
  await assureLease(session, starting)
  // The start of a tool may take long, such as that of a process: those who follow the run hear of the claim before.
  if (session.isFollowed) await nextTurn()
  for (const each of starting) begin(session, each)
  return null
}

/** P3: a call that is not started, as its lease could not be made sure of, is in no doubt. */
async function assureLease(session: RunSession, claimed: readonly ClaimedCall[]): Promise<void> {
  try {
    await session.kept.assure()
  } catch (thrown) {
    for (const each of claimed) unclaim(session, each)
    throw thrown
  }
}

function unclaim(session: Pick<RunSession, 'stage'>, { call }: Pick<ClaimedCall, 'call'>): void {
  session.stage('call.unclaimed', { call_id: call.id, status: call.status })
}

/** P9: plugins and tools had a look since the calls were prepared. One that is another by now is held anew. */
async function asApproved(session: GateSession, ready: readonly ClaimedCall[]): Promise<ClaimedCall[]> {
  const approved: ClaimedCall[] = []
  for (const each of ready) {
    if (hasDrifted(session, each.call, each.tool)) await holdDrifted(session, each.call, each.tool)
    else approved.push(each)
  }
  return approved
}

/**
 * The claim's commit may have brought in a cancel, or a message that replaces this call. Then the claim is withdrawn,
 * and the next move decides about the call.
 */
function begin(session: RunSession, { call, tool, ...claimed }: ClaimedCall): void {
  if (mayBegin(session.run) && !hasDrifted(session, call, tool))
    session.underway.begin({ call, tool }, runCall(session, { call, tool, ...claimed }))
  else unclaim(session, { call })
}

/** The call to run, once nothing stops it; else the call was held or finished. */
async function prepare(
  session: DoubtSession,
  call: ToolCall,
  tools: ReadonlyMap<string, Tool>,
): Promise<ClaimedCall | Stopped> {
  const tool = tools.get(call.name) ?? null
  const checked = await checkStart(session, { call, tool })
  if ('end' in checked) return checked
  const fit = await fitCall(session.runtime.ids, checked.tool, call)
  if (!fit.ok) {
    deny(session, call, { code: 'INVALID_ARGUMENTS', message: fit.issues })
    return { end: null }
  }
  // A hold of an older version did not show what the schema makes of it.
  if (call.hold_id !== null && !isSameJson(fit.call.final_arguments, call.final_arguments))
    return heldAgain(session, fit.call, tool)
  return {
    call,
    tool: checked.tool,
    args: copyArguments(fit.call.final_arguments as JsonObject),
    idempotencyKey: idempotencyKey(session.thread.id, call.id),
    suspended: await suspendedBefore(session, call),
    leadsTo: checked.now?.leads_to ?? null,
    boxed: boxedRules(session.run.profile.policy, checked.now?.verdict),
    toolNames: [...tools.keys()],
  }
}

function claim(session: RunSession, { call, tool, idempotencyKey: idempotency_key }: ClaimedCall): void {
  session.stage('call.started', {
    call_id: call.id,
    status: 'running',
    attempt: call.attempt + 1,
    idempotency_key,
    digest: holdOf(session.run, call)?.decision?.digest ?? digestOf(session.runtime.ids, { call, tool }),
    process: session.runtime.liveness.self,
  })
}
