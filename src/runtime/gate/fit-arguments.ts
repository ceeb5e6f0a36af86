import { messageOf } from '../../core/errors.ts'
import { copyJson, type JsonObject } from '../../core/text/json.ts'
import type { Tool, Validated } from '../../ports/agent/tool.ts'
import { orCancelled } from '../session/cancellation.ts'
import type { RunSession } from '../session/run-session.ts'

/** True if the arguments fit the tool. Stops with the run. @throws the signal's reason. */
export async function fitOf(session: RunSession, tool: Tool, args: JsonObject): Promise<Validated> {
  return orCancelled(session, checkedBy(tool, args), false)
}

/**
 * Never rejects: what cannot be checked does not fit. The tool gets a copy, which it may change: what the model wrote
 * and people were shown stays as it is.
 */
export async function checkedBy(tool: Tool, args: JsonObject): Promise<Validated> {
  try {
    const validated = await tool.validate(copyJson(args))
    return validated.ok ? validated : { ok: false, issues: validated.issues }
  } catch (thrown) {
    return { ok: false, issues: `arguments: cannot be checked: ${messageOf(thrown)}` }
  }
}
