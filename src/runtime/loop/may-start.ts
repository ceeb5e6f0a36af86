/** P1, P9: whether a released call may still start, and what happens to it instead. */

import { mayBox } from '../../core/effect/boxed-rules.ts'
import { usualMessage } from '../../core/hold/hold.ts'
import type { Run } from '../../core/journal/thread.ts'
import { STRICTNESS } from '../../core/policy/policy.ts'
import type { Termination } from '../../core/run/termination.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { type DoubtSession, holdInDoubt, stateOfWork } from '../doubt/hold-in-doubt.ts'
import { lapseOf } from '../gate/covering-approval.ts'
import { carryOut } from '../gate/gate-calls.ts'
import type { Gated, GateSession } from '../gate/gate-session.ts'
import { deny } from '../gate/hold-call.ts'
import { holdDrifted } from '../gate/hold-drifted.ts'
import { holdInLimit } from '../gate/hold-in-limit.ts'
import { otherThanShown } from '../gate/preview-call.ts'
import { askAgain, hasDrifted, holdOf } from '../gate/released-call.ts'
import { neverSaid, POLICY_GATE, takesPerson } from '../policy/policy-gate.ts'
import { type RulingNow, rulingOn } from '../policy/ruling.ts'

/** The call was held or finished instead of started. `end` ends the run. */
export interface Stopped {
  readonly end: Termination | null
}

/** A call that may start, with the policy's ruling on it now; `null` if the ruling cannot have changed. */
export interface Startable extends Gated {
  readonly now: RulingNow | null
}

const HANDLED: Stopped = { end: null }

/** Holds a call again that differs from what was approved. */
export async function heldAgain(...args: Parameters<typeof holdDrifted>): Promise<Stopped> {
  await holdDrifted(...args)
  return HANDLED
}

/** Checks a released call again, because its tool, the policy or its surroundings may have changed since. */
export async function checkStart(
  session: DoubtSession,
  { call, tool }: { readonly call: Gated['call']; readonly tool: Tool | null },
): Promise<Startable | Stopped> {
  if (!tool || typeof call.final_arguments === 'string' || hasDrifted(session, call, tool))
    return heldAgain(session, call, tool)
  if (await isHeldAsRunning(session, { call, tool })) return HANDLED
  const startable = { call, tool, now: await rulingAgain(session.run, { call, tool }) }
  for (const obstacle of OBSTACLES) {
    const stopped = await obstacle(session, startable)
    if (stopped) return stopped
  }
  return startable
}

/** The reasons why a released call may not start, in the order in which they are checked. */
const OBSTACLES: readonly ((session: GateSession, startable: Startable) => Promise<Stopped | null>)[] = [
  // P9: an approval binds the real place that its approver was asked about. An edit is ruled on when it is made.
  async (session, { call, tool, now }) => {
    const hold = holdOf(session.run, call)
    if (hold?.leads_to === undefined || hold.decision?.verdict === 'edit' || now === null) return null
    return hold.leads_to === now.leads_to ? null : heldAgain(session, call, tool)
  },
  // A passed call may no longer start by itself: the decisions on the rest of its batch may have taken long.
  async (session, startable) => (startable.call.status === 'new' ? stoppedByLapse(session, startable) : null),
  async (session, { call, tool, now }) => {
    const answer = call.status === 'resuming' ? await askAgain(session, { call, tool }, now) : null
    return answer?.act === 'decided' ? { end: await carryOut(session, { call, tool }, answer) } : null
  },
  async (session, { call, tool }) => {
    const difference = await otherThanShown(session, { call, tool })
    return difference && heldAgain(session, call, tool, [difference])
  },
]

/** P3: a call that is to run again is held once more if what it had started still runs. The decider may not have seen it. */
async function isHeldAsRunning(session: DoubtSession, { call, tool }: Gated): Promise<boolean> {
  const hold = holdOf(session.run, call)
  if (hold?.kind !== 'in_doubt') return false
  const started = (await session.runtime.store.hold(call.hold_id ?? ''))?.started ?? null
  if (started === null || stateOfWork(session, call, started) !== 'running') return false
  await holdInDoubt(session, { call, tool, left: { started, because: hold.because } })
  return true
}

/**
 * P1, P9: a call is ruled on again when it starts, held or not. The same words may lead elsewhere by now, for example by
 * a link that another call of its batch made.
 */
async function rulingAgain({ profile }: Run, { call, tool }: Gated): Promise<RulingNow | null> {
  const args = call.final_arguments
  if (!tool.inspect || typeof args === 'string') return null
  // Whether it runs in a box is not in the journal.
  if (tool.mayNeedPersonNow?.(args, profile.workdir) === false && !mayBox(profile.policy)) return null
  return rulingOn(profile, tool, args)
}

async function stoppedByLapse(session: GateSession, { call, tool, now }: Startable): Promise<Stopped | null> {
  const because = (await lapseOf(session, { call, tool })) ?? whyNotByItself(session, { call, tool, now })
  if (because === null) return null
  if (now?.verdict === 'never' && session.run.profile.policy.on_never === 'reject') {
    deny(session, call, neverSaid(now))
    return HANDLED
  }
  const why = { because, plugin: POLICY_GATE, ...(now?.leads_to && { leads_to: now.leads_to }) }
  const needsPerson = now !== null && takesPerson(now)
  const overridesNever = now?.verdict === 'never'
  const request = { kind: 'approval', message: usualMessage(call.name), needsPerson, overridesNever } as const
  return { end: await holdInLimit(session, { call, tool, request, why }) }
}

/** Why a call that was let pass may not start by itself now; `null` if it may. */
function whyNotByItself(session: GateSession, { call, tool, now }: Startable): string | null {
  if (now === null || STRICTNESS[now.verdict] < STRICTNESS.prompt) return null
  if (takesPerson(now)) return now.rule
  const isCovered =
    call.grant_id !== null || [...session.run.approvals.values()].some(({ used_by }) => used_by === call.id)
  return isCovered || tool.asks || !session.pausesFor('approval') ? null : now.rule
}
