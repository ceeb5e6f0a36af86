/** What decisions on a call still release when it starts, and what is asked of it again (P1, P9). */
import { DEADLINE } from '../../core/deadlines/next-due.ts'
import type { HoldState } from '../../core/journal/thread.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { forbiddenNow, notForNobody, POLICY_GATE } from '../policy/policy-gate.ts'
import type { RulingNow } from '../policy/ruling.ts'
import type { RunSession } from '../session/run-session.ts'
import { type Demand, demandOn } from './covering-approval.ts'
import { askPlugins, type Gated, type Gating } from './gate-calls.ts'
import { digestsOf } from './hold-call.ts'
import { DRIFTED } from './hold-drifted.ts'
import { shownDigestOf } from './preview-call.ts'
import { alwaysAsks } from './rule-again.ts'
import { standingGrant } from './standing-grant.ts'

/** Checks a released call again: the policy, or a plugin, may have changed since the approval. */
export async function askAgain(session: RunSession, { call, tool }: Gated, now: RulingNow | null): Promise<Gating> {
  const held = { ...call, tool }
  const forbidden =
    (await forbiddenNow(session.run.profile, held)) ??
    (isByNobody(session, call) ? await notForNobody(session.run.profile, held) : null)
  if (forbidden) return { act: 'decided', by: { plugin: POLICY_GATE, result: { deny: forbidden } } }
  const demand = await demandOn(session, { call, tool })
  if (demand.unknowable)
    return { act: 'decided', by: { plugin: POLICY_GATE, result: { deny: demand.unknowable.deny } } }
  const released = releasedBy(session, { call, tool })
  if (policyAsksAgain(session, { call, tool, demand }, now)) released.delete(POLICY_GATE)
  const isGranted = call.grant_id !== null && (await standingGrant(session, { call, tool }))?.id === call.grant_id
  return askPlugins(session, { call, tool, demand }, isGranted ? released.add(POLICY_GATE) : released)
}

/** Whether the policy's own hold was released by what does not release this call as it is now. */
function policyAsksAgain(
  session: RunSession,
  { call, tool, demand }: Gated & { readonly demand: Demand },
  now: RulingNow | null,
): boolean {
  const asked = policyHold(session, call)
  // A person must give an approval in words. A deadline may have released the policy's hold, and then no one gave it.
  if (demand.demanded?.given === null && isByClock(asked)) return true
  // To approve a call that only an answer can end lets it run no more than before.
  if (tool.asks) return true
  const mustAsk = alwaysAsks(now)
  return mustAsk !== null && asked?.because !== mustAsk && asked?.because !== DRIFTED
}

/** Only the clock let it pass: its newest hold, or that of the policy, which another plugin's does not stand in for. */
function isByNobody(session: RunSession, call: ToolCall): boolean {
  return [decidedHolds(session, call).at(-1), policyHold(session, call)].some(isByClock)
}

function decidedHolds({ run }: RunSession, { id }: ToolCall): HoldState[] {
  return [...run.holds.values()].filter(({ call_id, decision }) => call_id === id && decision !== null)
}

function policyHold(session: RunSession, call: ToolCall): HoldState | undefined {
  return decidedHolds(session, call).findLast(({ plugin }) => plugin === POLICY_GATE)
}

function isByClock(hold: HoldState | undefined): boolean {
  return hold?.decision?.decided_by === DEADLINE.decided_by && hold.decision.surface === DEADLINE.surface
}

/** An approval without a digest, or with another than that of the call it was asked for, releases nothing. */
export function hasDrifted(session: RunSession, call: ToolCall, tool: Tool): boolean {
  const hold = holdOf(session, call)
  if (!hold?.decision) return false
  const { verdict, digest } = hold.decision
  const preview = shownDigestOf(hold)
  return (
    !digestsOf(session, { call, tool, preview }).includes(digest) || (verdict === 'approve' && digest !== hold.digest)
  )
}

/** Plugins whose hold on this call, as it would run now, was released: they are not asked again (P1, P9). */
function releasedBy(session: RunSession, { call, tool }: Gated): Set<string> {
  const plugins = decidedHolds(session, call).flatMap(hold => {
    const { plugin, decision } = hold
    const digests = digestsOf(session, { call, tool, preview: shownDigestOf(hold) })
    return plugin !== null && digests.includes(decision?.digest ?? digests[0] ?? null) ? [plugin] : []
  })
  return new Set(plugins)
}

export function holdOf({ run }: RunSession, { hold_id }: ToolCall): HoldState | undefined {
  return hold_id === null ? undefined : run.holds.get(hold_id)
}
