/**
 * Keeps P3: the claims of effects are durable before any of them starts. Keeps P9: what was approved is what runs.
 * All calls that may start are claimed in one commit and then run side by side.
 */

import { nextTurn } from '../../async/next-turn.ts'
import { usualMessage } from '../../core/hold/hold.ts'
import { mayBegin } from '../../core/journal/may-run.ts'
import { isBatchHeld } from '../../core/journal/next-move.ts'
import { copyArguments } from '../../core/plain/fitted.ts'
import type { Termination } from '../../core/run/termination.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import { isSameJson, type JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { holdInDoubt, standsAs } from '../doubt/hold-in-doubt.ts'
import { lapseOf } from '../gate/cover-call.ts'
import { fitCall } from '../gate/fit-arguments.ts'
import { carryOut, type Gated } from '../gate/gate-calls.ts'
import { deny, digestOf } from '../gate/hold-call.ts'
import { holdDrifted } from '../gate/hold-drifted.ts'
import { holdInLimit } from '../gate/hold-in-limit.ts'
import { otherThanShown } from '../gate/preview-call.ts'
import { askAgain, hasDrifted, holdOf } from '../gate/released-call.ts'
import { leadsElsewhere, ruleAgain, whyNotByItself } from '../gate/rule-again.ts'
import { suspendedBefore } from '../gate/suspended-before.ts'
import { idempotencyKey } from '../lease/work-standing.ts'
import { neverSaid, POLICY_GATE, takesPerson } from '../policy/policy-gate.ts'
import type { RulingNow } from '../policy/ruling.ts'
import type { RunSession } from '../session/run-session.ts'
import { type ClaimedCall, runCall } from './run-call.ts'

/** The end of the run, if a plugin blocked a released call, or the run may not pause for one. */
export async function startCalls(session: RunSession, calls: readonly ToolCall[]): Promise<Termination | null> {
  await session.refreshAgent()
  const { tools } = await session.agent()
  const ready: ClaimedCall[] = []
  for (const call of calls) {
    const next = await prepare(session, call, tools)
    if (next && 'type' in next) return next
    if (next) ready.push(next)
  }
  session.signals.throwIfStopped()
  // A plugin, or drift, may have held one of them anew: then the rest of a batch waits with it.
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

function unclaim(session: RunSession, { call }: Pick<ClaimedCall, 'call'>): void {
  session.stage('call.unclaimed', { call_id: call.id, status: call.status })
}

/** P9: plugins and tools had a look since the calls were prepared. One that is another by now is held anew. */
async function asApproved(session: RunSession, ready: readonly ClaimedCall[]): Promise<ClaimedCall[]> {
  const approved: ClaimedCall[] = []
  for (const each of ready) {
    if (hasDrifted(session, each.call, each.tool)) await holdDrifted(session, each.call, each.tool)
    else approved.push(each)
  }
  return approved
}

/**
 * What stands before the claim counts: its commit may have brought in a cancel, or a message in place of this call. Then
 * the claim is given back, and the next move says what becomes of the call.
 */
function begin(session: RunSession, { call, tool, ...claimed }: ClaimedCall): void {
  if (mayBegin(session.run) && !hasDrifted(session, call, tool))
    session.underway.begin({ call, tool }, runCall(session, { call, tool, ...claimed }))
  else unclaim(session, { call })
}

/** The call to run, or the end of the run; `null` if the call was finished or held instead. */
async function prepare(
  session: RunSession,
  call: ToolCall,
  tools: ReadonlyMap<string, Tool>,
): Promise<ClaimedCall | Termination | null> {
  const tool = tools.get(call.name)
  const args = call.final_arguments
  if (!tool || typeof args === 'string' || hasDrifted(session, call, tool)) {
    await holdDrifted(session, call, tool ?? null)
    return null
  }
  if (await runsStill(session, { call, tool })) return null
  const now = await ruleAgain(session, { call, tool })
  const stopped = await stopsNow(session, { call, tool }, now)
  if (stopped !== GOES_ON) return stopped
  const other = await otherThanShown(session, { call, tool })
  if (other !== null) {
    await holdDrifted(session, call, tool, [other])
    return null
  }
  const fit = await fitCall(session.runtime.ids, tool, call)
  // A hold of an older version did not show what the schema makes of it.
  if (fit.ok && call.hold_id !== null && !isSameJson(fit.call.final_arguments, args)) {
    await holdDrifted(session, fit.call, tool)
    return null
  }
  const told = {
    idempotencyKey: idempotencyKey(session.thread.id, call.id),
    suspended: await suspendedBefore(session, call),
    leadsTo: now?.leads_to ?? null,
  }
  if (fit.ok) return { call, tool, args: copyArguments(fit.call.final_arguments as JsonObject), ...told }
  deny(session, call, { code: 'INVALID_ARGUMENTS', message: fit.issues })
  return null
}

/** P3: a call that is to run again is held once more if what it had started still runs. The decider may not have seen it. */
async function runsStill(session: RunSession, { call, tool }: Gated): Promise<boolean> {
  const hold = holdOf(session, call)
  if (hold?.kind !== 'in_doubt') return false
  const started = (await session.runtime.store.hold(call.hold_id ?? ''))?.started ?? null
  if (started === null || standsAs(session, call, started) !== 'running') return false
  await holdInDoubt(session, { call, tool, left: { started, because: hold.because } })
  return true
}

const GOES_ON = 'goes_on'

/** Holds a call again, or ends it, if it may not start now; else `GOES_ON`. */
async function stopsNow(
  session: RunSession,
  gated: Gated,
  now: RulingNow | null,
): Promise<Termination | null | typeof GOES_ON> {
  const { call, tool } = gated
  if (leadsElsewhere(holdOf(session, call), now)) {
    await holdDrifted(session, call, tool)
    return null
  }
  if (call.status === 'new') return holdLapsed(session, gated, now)
  const said = call.status === 'resuming' ? await askAgain(session, gated, now) : null
  return said?.act === 'decided' ? carryOut(session, gated, said) : GOES_ON
}

/** A call that passed may start by itself no more: the decisions on the rest of its batch may have taken long. */
async function holdLapsed(
  session: RunSession,
  gated: Gated,
  now: RulingNow | null,
): Promise<Termination | null | typeof GOES_ON> {
  const { call, tool } = gated
  const because = (await lapseOf(session, gated)) ?? whyNotByItself(session, gated, now)
  if (because === null) return GOES_ON
  if (now?.verdict === 'never' && session.run.profile.policy.on_never === 'reject') {
    deny(session, call, neverSaid(now))
    return null
  }
  const why = { because, plugin: POLICY_GATE, ...(now?.leads_to && { leads_to: now.leads_to }) }
  const needsPerson = now !== null && takesPerson(now)
  const overridesNever = now?.verdict === 'never'
  const request = { kind: 'approval', message: usualMessage(call.name), needsPerson, overridesNever } as const
  return holdInLimit(session, { call, tool, request, why })
}

function claim(session: RunSession, { call, tool, idempotencyKey: idempotency_key }: ClaimedCall): void {
  session.stage('call.started', {
    call_id: call.id,
    status: 'running',
    attempt: call.attempt + 1,
    idempotency_key,
    digest: holdOf(session, call)?.decision?.digest ?? digestOf(session, { call, tool }),
    process: session.runtime.liveness.self,
  })
}
