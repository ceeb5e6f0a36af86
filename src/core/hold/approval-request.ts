import { canonicalJson, type JsonObject } from '../text/json.ts'

/** The tool by which an agent asks for approval of an action in words. */
export const REQUEST_APPROVAL = 'request_approval'

export function isApprovalRequest(tool: string): boolean {
  return tool === REQUEST_APPROVAL
}

/** The identity of an approval in words: the action and its details, in any order of keys. */
export function approvalKey({ action = null, details = null }: JsonObject): string {
  return canonicalJson({ action, details })
}
