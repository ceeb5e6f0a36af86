import type { Role } from '../../core/people/role.ts'
import type { Control } from '../../ports/agent/control.ts'
import { listedAs, type McpTool } from './offer/mcp-tool.ts'
import { SURFACE } from './offer/offer.ts'
import { progressOf } from './offer/progress-of.ts'
import { toolResult } from './offer/tool-result.ts'

/**
 * The least role for each control. A command runs unasked, so only an admin starts one. One that is not listed is for
 * admins.
 */
const ROLES: Readonly<Record<string, Role>> = {
  get_all_tasks: 'viewer',
  get_task_details: 'viewer',
  wait_for_tasks: 'viewer',
  list_holds: 'viewer',
  decide_hold: 'decider',
  resume_task: 'operator',
  send_message: 'operator',
  subagent_task: 'operator',
  cancel_task: 'operator',
  run_command_task: 'admin',
}

/** A control as a tool of MCP. */
export function controlTool(control: Control): McpTool {
  return {
    ...listedAs(control),
    role: ROLES[control.name] ?? 'admin',
    call: async ({ args, identity, request, signal }) => {
      const { actor, runId } = identity
      const context = { actor, runId, surface: SURFACE, signal, onProgress: progressOf(request) }
      return toolResult(await control.call(args, context))
    },
  }
}
