import type { Membership } from '../people/membership.ts'
import { canonicalJson, type JsonObject } from '../text/json.ts'

/** An approval in words covers one call. */
export interface GivenApproval {
  readonly hold_id: string
  readonly decided_by: string
  readonly member_of?: Membership
  /** The call that it let pass; `null` as long as there is none. */
  readonly used_by: string | null
}

/** The tool by which an agent asks for approval of an action in words. */
export const REQUEST_APPROVAL = 'request_approval'

export function isApprovalRequest(tool: string): boolean {
  return tool === REQUEST_APPROVAL
}

/** The identity of an approval in words: the action and its details, in any order of keys. */
export function approvalKey({ action = null, details = null }: JsonObject): string {
  return canonicalJson({ action, details })
}
