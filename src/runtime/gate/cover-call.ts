import type { ToolCall } from '../../core/run/tool-call.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { coveredBy } from '../policy/approval-words.ts'
import type { RunSession } from '../session/run-session.ts'
import { type Demand, isOfThisThread } from './covering-approval.ts'
import { standingGrant, stillGranted } from './standing-grant.ts'

/** The reason why a call may pass that policy would ask about. */
export interface Cover {
  readonly rule: string
  readonly grant_id: string | null
  readonly approval_id: string | null
}

/**
 * `null` if a person has to be asked, or no one needs to be. No grant stands for an approval in words that a tool
 * demands.
 */
export async function coverOf(
  session: RunSession,
  gated: { readonly call: ToolCall; readonly tool: Tool },
  { demanded }: Demand,
): Promise<Cover | null> {
  if (demanded?.given) return { rule: coveredBy(demanded), grant_id: null, approval_id: demanded.given.hold_id }
  if (demanded) return null
  const grant = await standingGrant(session, gated)
  if (!grant) return null
  const { id: grant_id, name, granted_by } = grant
  return { rule: `${granted_by} always allows it (${name})`, grant_id, approval_id: null }
}

/** Why the reason to let a call pass no longer holds when it starts; `null` if it still does. */
export async function lapseOf(
  session: RunSession,
  gated: { readonly call: ToolCall; readonly tool: Tool },
): Promise<string | null> {
  if (!(await stillGranted(session, gated)))
    return 'the grant that let it pass was revoked or changed, expired, or is none for it now'
  const used = [...session.run.approvals.values()].find(({ used_by }) => used_by === gated.call.id)
  if (!used || (await isOfThisThread(session, used))) return null
  return 'it was approved in words in the thread that this one was forked from'
}
