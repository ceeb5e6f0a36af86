import type { ToolCall } from '../core/tool-call.ts'
import type { Tool } from '../ports/tool.ts'
import { coveredBy } from './approval-words.ts'
import type { Demand } from './covering-approval.ts'
import type { RunSession } from './run-session.ts'
import { standingGrant } from './standing-grant.ts'

/** What lets a call pass that policy would ask about. */
export interface Cover {
  readonly rule: string
  readonly grant_id: string | null
  readonly approval_id: string | null
}

/** `null` where somebody has to be asked, or nobody needs to be. No grant gives what a tool demands in words. */
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
