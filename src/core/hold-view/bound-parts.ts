import type { Json, JsonObject } from '../text/json.ts'

interface BoundCall {
  readonly tool: string | null
  readonly schema: JsonObject | null
  readonly arguments: Json
}

/** JSON Schema of the arguments alone, for a form: without the other parts that an approval binds. */
export function argumentsSchema({
  tool_version: _,
  tool_code: _code,
  tool_definition: _of,
  ...schema
}: JsonObject): JsonObject {
  return schema
}

/**
 * P9: the parts that an approval binds, by the names that people see in a difference: the tool's version and code are
 * separate.
 */
export function boundParts({ tool, schema: bound, arguments: args }: BoundCall): JsonObject {
  if (bound === null) return { tool, schema: null, arguments: args }
  const { tool_version = null, tool_code = null, ...schema } = bound
  return { tool, tool_version, tool_code, schema, arguments: args }
}
