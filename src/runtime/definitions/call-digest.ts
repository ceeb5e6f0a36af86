import type { Hold } from '../../core/hold/hold.ts'
import { callText } from '../../core/hold/hold-digests.ts'
import type { Json, JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { Ids } from '../../ports/ids.ts'
import { boundSchema, declaredSchema } from './bound-schema.ts'

/** P9: the fingerprint of what an approval releases. Tool, schema and arguments, in canonical form. */
export function callDigest(ids: Ids, call: { name: string; arguments: Json; schema: JsonObject | null }): string {
  return ids.digest(callText(call))
}

interface CallNow {
  readonly arguments: Json
  readonly tool: Tool
}

/** Of the call as it would run now. */
export function digestNow(ids: Ids, { arguments: args, tool }: CallNow): string {
  return callDigest(ids, { name: tool.name, arguments: args, schema: boundSchema(tool) })
}

/** All digests that stand for this call. The second binds no code of the tool: a hold of an older Holdpoint has it. */
export function fittingDigests(ids: Ids, now: CallNow): readonly (string | null)[] {
  const { arguments: args, tool } = now
  return [digestNow(ids, now), callDigest(ids, { name: tool.name, arguments: args, schema: declaredSchema(tool) })]
}

/** Of what was shown, which the file may have come to say differently since it was asked. */
export function shownDigest(ids: Ids, { tool, arguments: args, tool_schema: schema, digest }: Hold): string | null {
  // A hold of an older version did not keep the schema.
  return tool === null || schema === null ? digest : callDigest(ids, { name: tool, arguments: args, schema })
}
