/** The calls that decisions still release at their start, and the questions that are asked again then (P1, P9). */
import { DEADLINE } from '../../core/deadlines/next-due.ts'
import { type Decision, isForOthers } from '../../core/hold/decision.ts'
import type { HoldState, Run } from '../../core/journal/thread.ts'
import type { ToolCall } from '../../core/run/tool-call.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { forbiddenNow, notForNobody, POLICY_GATE } from '../policy/policy-gate.ts'
import { type RulingNow, rulingOn } from '../policy/ruling.ts'
import { type Demand, demandOn } from './covering-approval.ts'
import { askPlugins, type Gating } from './gate-calls.ts'
import type { Gated, GateSession } from './gate-session.ts'
import { digestsOf } from './hold-call.ts'
import { isSecondLook } from './hold-drifted.ts'
import { shownDigestOf } from './preview-call.ts'
import { standingGrant } from './standing-grant.ts'

/** Checks a released call again: the policy, or a plugin, may have changed since the approval. */
export async function askAgain(session: GateSession, { call, tool }: Gated, now: RulingNow | null): Promise<Gating> {
  const held = { ...call, tool }
  const forbidden =
    (await forbiddenNow(session.run.profile, held)) ??
    (isByNobody(session.run, call) ? await notForNobody(session.run.profile, held) : null)
  if (forbidden) return { act: 'decided', by: { plugin: POLICY_GATE, result: { deny: forbidden } } }
  const demand = await demandOn(session, { call, tool })
  if (demand.unknowable)
    return { act: 'decided', by: { plugin: POLICY_GATE, result: { deny: demand.unknowable.deny } } }
  const released = releasedBy(session, { call, tool })
  if (await isReleasedInDoubt(session.run, { call, tool })) released.add(POLICY_GATE)
  if (policyAsksAgain(session.run, { call, tool, demand }, now)) released.delete(POLICY_GATE)
  const isGranted = call.grant_id !== null && (await standingGrant(session, { call, tool }))?.id === call.grant_id
  return askPlugins(session, { call, tool, demand }, isGranted ? released.add(POLICY_GATE) : released)
}

/**
 * P1: an approval of a call in doubt also answers an ordinary question about it, as it is now. It does not override
 * `never`, which only an approval that names it does.
 */
async function isReleasedInDoubt(run: Run, { call, tool }: Gated): Promise<boolean> {
  const { hold_id, final_arguments: args } = call
  if (run.holds.get(hold_id ?? '')?.kind !== 'in_doubt' || typeof args === 'string') return false
  return (await rulingOn(run.profile, tool, args)).verdict !== 'never'
}

/** Whether the policy's own hold was released by what does not release this call as it is now. */
function policyAsksAgain(
  run: Run,
  { call, tool, demand }: Gated & { readonly demand: Demand },
  now: RulingNow | null,
): boolean {
  const asked = policyHold(run, call)
  // A person must give an approval in words. A deadline may have released the policy's hold, and then no one gave it.
  if (demand.demanded?.given === null && isByClock(asked)) return true
  // To approve a call that only an answer can end lets it run no more than before.
  if (tool.asks) return true
  const mustAsk = now?.verdict === 'prompt' && now.binding ? now.rule : null
  return mustAsk !== null && asked?.because !== mustAsk && !isSecondLook(asked?.because)
}

/**
 * True if only the clock released the call: its newest hold, or the policy's hold, which another plugin's hold cannot
 * replace.
 */
function isByNobody(run: Run, call: ToolCall): boolean {
  return [decidedHolds(run, call).at(-1), policyHold(run, call)].some(isByClock)
}

function decidedHolds({ holds }: Run, { id }: ToolCall): HoldState[] {
  return [...holds.values()].filter(({ call_id, decision }) => call_id === id && decision !== null)
}

function policyHold(run: Run, call: ToolCall): HoldState | undefined {
  return decidedHolds(run, call).findLast(({ plugin }) => plugin === POLICY_GATE)
}

function isByClock(hold: HoldState | undefined): boolean {
  return hold?.decision?.decided_by === DEADLINE.decided_by && hold.decision.surface === DEADLINE.surface
}

/** An approval without a digest, or with another than that of the call it was asked for, releases nothing. */
export function hasDrifted({ run, runtime }: GateSession, call: ToolCall, tool: Tool): boolean {
  const hold = holdOf(run, call)
  if (!hold?.decision) return false
  const { verdict, digest: decided } = hold.decision
  // A refusal to answer has no digest, and a call that had begun goes on with it.
  const digest = hold.resume_mode === 'continue_call' ? (decided ?? hold.digest) : decided
  const digests = digestsOf(runtime.ids, { call, tool, preview: shownDigestOf(hold) })
  return !digests.includes(digest) || (verdict === 'approve' && digest !== hold.digest)
}

/** Plugins whose hold on this call, as it would run now, was released: they are not asked again (P1, P9). */
function releasedBy({ run, runtime }: GateSession, { call, tool }: Gated): Set<string> {
  const plugins = decidedHolds(run, call).flatMap(hold => {
    const { plugin, decision } = hold
    const digests = digestsOf(runtime.ids, { call, tool, preview: shownDigestOf(hold) })
    return plugin !== null && releases(decision, digests) ? [plugin] : []
  })
  return new Set(plugins)
}

/** An answer has no digest. */
function releases(decision: Decision | null, digests: readonly (string | null)[]): boolean {
  if (decision && isForOthers(decision)) return false
  return digests.includes(decision?.digest ?? digests[0] ?? null)
}

export function holdOf({ holds }: Run, { hold_id }: ToolCall): HoldState | undefined {
  return hold_id === null ? undefined : holds.get(hold_id)
}
