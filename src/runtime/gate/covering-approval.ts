/**
 * Keeps P1 for tools that demand an approval in words: one approval of `request_approval` covers one call, of the same
 * action and details and no other.
 */

import { messageOf } from '../../core/errors.ts'
import { approvalKey } from '../../core/hold/approval-request.ts'
import { objectionToDecider } from '../../core/hold/may-decide.ts'
import type { GivenApproval, Run } from '../../core/journal/thread.ts'
import { decidersOf } from '../../core/people/deciders.ts'
import { copyArguments } from '../../core/plain/fitted.ts'
import { plain } from '../../core/plain/plain.ts'
import type { CallError, ToolCall } from '../../core/run/tool-call.ts'
import { isTooDeep, type JsonObject } from '../../core/text/json.ts'
import type { DemandedApproval } from '../../ports/agent/plugin.ts'
import type { ApprovalDemand, Tool } from '../../ports/agent/tool.ts'
import { isStop } from '../foreign/reach-foreign.ts'
import type { RunSession } from '../session/run-session.ts'

export interface Demand {
  readonly demanded: DemandedApproval | null
  /** If the tool could not tell. */
  readonly unknowable: Unknowable | null
}

/** What a call needs is not known. */
export interface Unknowable {
  readonly because: string
  /** Why the call may not run even once a person approved it. */
  readonly deny: CallError
}

/** The approval in words that the tool of this call demands, and whether it was given. */
export async function demandOn(session: RunSession, { call, tool }: { call: ToolCall; tool: Tool }): Promise<Demand> {
  const demand = await demandOf(tool, call.final_arguments as JsonObject).catch(thrown => unknowable(tool, thrown))
  if (demand === null) return { demanded: null, unknowable: null }
  if ('deny' in demand) return { demanded: null, unknowable: demand }
  const given = coverOf(session.run, call, demand)
  const counts = given !== null && (await countsFor(session, tool, given))
  return { demanded: { ...demand, given: counts ? given : null }, unknowable: null }
}

/** P1: an approval in words counts if the people who gave it may decide about the calls of this tool. */
async function countsFor({ run, runtime, thread }: RunSession, tool: Tool, given: GivenApproval): Promise<boolean> {
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

/** One that was given before a fork is that of the thread it was given in, and covers one call there. */
export async function isOfThisThread(
  { runtime, thread }: RunSession,
  { hold_id }: Pick<GivenApproval, 'hold_id'>,
): Promise<boolean> {
  return (await runtime.store.hold(hold_id))?.thread_id === thread.id
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

/** One that was not used, or by this very call: it may be gated again. One that was released was gated before. */
function coverOf(
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
