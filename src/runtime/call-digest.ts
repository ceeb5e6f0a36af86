import { canonicalJson, type Json, type JsonObject } from '../core/json.ts'
import type { Ids } from '../ports/ids.ts'

/** P9: the fingerprint of what an approval releases. Tool, schema and arguments, in canonical form. */
export function callDigest(ids: Ids, call: { name: string; arguments: Json; schema: JsonObject | null }): string {
  return ids.digest(canonicalJson({ tool: call.name, schema: call.schema, arguments: call.arguments }))
}
