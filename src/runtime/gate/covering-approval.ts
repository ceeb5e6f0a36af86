/**
 * Keeps P1 for tools that demand an approval in words: one approval of `request_approval` covers one call, of the same
 * action and details and no other.
 */

import { messageOf } from '../../core/errors.ts'
import type { GivenApproval } from '../../core/hold/approval-request.ts'
import { approvalKey } from '../../core/hold/approval-request.ts'
import { objectionToDecider } from '../../core/hold/may-decide.ts'
import type { Run } from '../../core/journal/thread.ts'
import { decidersOf } from '../../core/people/deciders.ts'
import { copyArguments } from '../../core/plain/fitted.ts'
import { plain } from '../../core/plain/plain.ts'
import type { CallError, ToolCall } from '../../core/run/tool-call.ts'
import { isTooDeep, type JsonObject } from '../../core/text/json.ts'
import type { DemandedApproval } from '../../ports/agent/plugin.ts'
import type { ApprovalDemand, Tool } from '../../ports/agent/tool.ts'
import { isStop } from '../foreign/reach-foreign.ts'
import { coveredBy } from '../policy/approval-words.ts'
import type { Gated, GateSession } from './gate-session.ts'
import { standingGrant, stillGranted } from './standing-grant.ts'

export interface Demand {
  readonly demanded: DemandedApproval | null
  /** Set if the tool could not tell. */
  readonly unknowable: Unknowable | null
}

/** The reason why the needs of a call are unknown. */
export interface Unknowable {
  readonly because: string
  /** Why the call may not run even once a person approved it. */
  readonly deny: CallError
}

/** The approval in words that the tool of this call demands, and whether it was given. */
export async function demandOn(session: GateSession, { call, tool }: Gated): Promise<Demand> {
  const demand = await demandOf(tool, call.final_arguments as JsonObject).catch(thrown => unknowable(tool, thrown))
  if (demand === null) return { demanded: null, unknowable: null }
  if ('deny' in demand) return { demanded: null, unknowable: demand }
  const given = unusedApproval(session.run, call, demand)
  const counts = given !== null && (await countsFor(session, tool, given))
  return { demanded: { ...demand, given: counts ? given : null }, unknowable: null }
}

/** P1: an approval in words counts if the people who gave it may decide about the calls of this tool. */
async function countsFor({ run, runtime, thread }: GateSession, tool: Tool, given: GivenApproval): Promise<boolean> {
  if (given.used_by !== null) return true
  const hold = await runtime.store.hold(given.hold_id)
  if (hold?.thread_id !== thread.id) return false
  const { groups, proven_groups } = run.profile
  const deciders = decidersOf(tool.deciders ?? null, groups, proven_groups)
  if (deciders === null) return true
  const people = hold.votes.length > 0 ? hold.votes : [given]
  const mayAll = people.every(
    person => objectionToDecider({ ...hold, deciders }, { ...person, verdict: 'approve' }) === null,
  )
  return mayAll && people.length >= deciders.quorum
}

async function demandOf(tool: Tool, args: JsonObject): Promise<ApprovalDemand | null> {
  if (!tool.demandsApproval) return null
  const demand = await tool.demandsApproval(copyArguments(args))
  if (demand === null) return null
  const { action, details = null } = demand
  if (typeof action !== 'string' || action === '') throw new TypeError('it names no action')
  if (isTooDeep(details)) throw new TypeError('its details are nested too deeply')
  return { action, details: plain(details) }
}

/**
 * Finds an unused approval, or the one that this very call used: the call may be gated again. A released call was gated
 * before.
 */
function unusedApproval(
  { approvals }: Run,
  { id, status }: ToolCall,
  { action, details }: ApprovalDemand,
): GivenApproval | null {
  const given = approvals.get(approvalKey({ action, details }))
  if (given === undefined) return null
  return given.used_by === id || (given.used_by === null && status === 'new') ? given : null
}

/** @throws what was thrown, if the run is to stop */
function unknowable({ name }: Tool, thrown: unknown): Unknowable {
  if (isStop(thrown)) throw thrown
  const because = `${name} cannot say what must be approved before it: ${messageOf(thrown)}`
  const deny = { code: 'TOOL_CALL_FORBIDDEN', message: `${because}. So this call may not run.` }
  return { because, deny }
}

/** The reason why a call may pass that policy would ask about. */
interface Cover {
  readonly rule: string
  readonly grant_id: string | null
  readonly approval_id: string | null
}

/**
 * `null` if a person has to be asked, or no one needs to be. A grant cannot replace an approval in words that a tool
 * demands.
 */
export async function coverOf(session: GateSession, gated: Gated, { demanded }: Demand): Promise<Cover | null> {
  if (demanded?.given) return { rule: coveredBy(demanded), grant_id: null, approval_id: demanded.given.hold_id }
  if (demanded) return null
  const grant = await standingGrant(session, gated)
  if (!grant) return null
  const { id: grant_id, name, granted_by } = grant
  return { rule: `${granted_by} always allows it (${name})`, grant_id, approval_id: null }
}

/** Why the reason to let a call pass no longer holds when it starts; `null` if it still does. */
export async function lapseOf(session: GateSession, gated: Gated): Promise<string | null> {
  if (!(await stillGranted(session, gated)))
    return 'the grant that let it pass was revoked or changed, expired, or is none for it now'
  const used = [...session.run.approvals.values()].find(({ used_by }) => used_by === gated.call.id)
  // An approval given before a fork belongs to the thread it was given in, and covers one call there.
  if (!used || (await session.runtime.store.hold(used.hold_id))?.thread_id === session.thread.id) return null
  return 'it was approved in words in the thread that this one was forked from'
}
