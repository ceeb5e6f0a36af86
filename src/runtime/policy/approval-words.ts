import { REQUEST_APPROVAL } from '../../core/hold/approval-request.ts'
import type { CallError } from '../../core/run/tool-call.ts'
import type { DemandedApproval } from '../../ports/agent/plugin.ts'
import type { Tool } from '../../ports/agent/tool.ts'

/** The text for the record. */
export function coveredBy({ action, given }: DemandedApproval): string {
  return `${given?.decided_by} approved it: ${action}`
}

const APPROVAL_REQUIRED = 'APPROVAL_REQUIRED'

/** A person who approves the call itself gives what its tool demands. */
export function isApprovalRequired({ code }: CallError): boolean {
  return code === APPROVAL_REQUIRED
}

/** Names the exact text that the model must ask approval for first. */
export function approvalRequired({ name }: Tool, { action, details }: DemandedApproval): CallError {
  const first = JSON.stringify({ action, details })
  return {
    code: APPROVAL_REQUIRED,
    message:
      `${name} needs an approval of its own, and each approval covers one call. First call ${REQUEST_APPROVAL} with ` +
      `exactly this action and these details, and your reason: ${first}. Once it is approved, make this same call again.`,
  }
}
