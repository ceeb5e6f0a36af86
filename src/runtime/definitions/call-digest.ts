import type { Hold } from '../../core/hold/hold.ts'
import { callText } from '../../core/hold/hold-digests.ts'
import type { Json, JsonObject } from '../../core/text/json.ts'
import type { Ids } from '../../ports/ids.ts'

/** P9: the fingerprint of what an approval releases. Tool, schema and arguments, in canonical form. */
export function callDigest(ids: Ids, call: { name: string; arguments: Json; schema: JsonObject | null }): string {
  return ids.digest(callText(call))
}

/** Of what was shown, which the file may have come to say differently since it was asked. */
export function shownDigest(ids: Ids, { tool, arguments: args, tool_schema: schema, digest }: Hold): string | null {
  // A hold of an older version did not keep the schema.
  return tool === null || schema === null ? digest : callDigest(ids, { name: tool, arguments: args, schema })
}
