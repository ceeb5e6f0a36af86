import { messageOf } from '../../core/errors.ts'
import { canonicalJson, copyJson, type JsonObject } from '../../core/text/json.ts'
import type { Tool, Validated } from '../../ports/agent/tool.ts'
import { orCancelled } from '../session/cancellation.ts'
import type { RunSession } from '../session/run-session.ts'

/** Whether the arguments fit the tool, and how they would run. Stops with the run. @throws the signal's reason. */
export async function fitOf(session: RunSession, tool: Tool, args: JsonObject): Promise<Validated> {
  return orCancelled(session, checkedBy(tool, args), false)
}

/**
 * P9: with the defaults that the schema fills in, so that people are shown all that runs. If a second check would change
 * the arguments once more, they run as they are written. Never rejects: what cannot be checked does not fit.
 */
export async function checkedBy(tool: Tool, args: JsonObject): Promise<Validated> {
  const filled = await validated(tool, args)
  if (!filled.ok || isSame(filled.value, args)) return filled
  const again = await validated(tool, filled.value)
  return again.ok && isSame(again.value, filled.value) ? filled : { ok: true, value: copyJson(args) }
}

/** The tool gets a copy, which it may change: what the model wrote and people were shown stays as it is. */
async function validated(tool: Tool, args: JsonObject): Promise<Validated> {
  try {
    const said = await tool.validate(copyJson(args))
    return said.ok ? said : { ok: false, issues: said.issues }
  } catch (thrown) {
    return { ok: false, issues: `arguments: cannot be checked: ${messageOf(thrown)}` }
  }
}

export function isSame(one: JsonObject, other: JsonObject): boolean {
  return canonicalJson(one) === canonicalJson(other)
}
