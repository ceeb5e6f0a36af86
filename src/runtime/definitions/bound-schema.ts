import type { JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'

type Bound = Pick<Tool, 'inputSchema' | 'definition' | 'version' | 'code'>

/**
 * P9: what an approval binds of a tool: its schema, its definition from elsewhere, and its version or code. One object
 * holds all of it, so that it is stored, compared and shown as one.
 */
export function boundSchema(tool: Bound): JsonObject {
  const { version } = tool
  if (version !== undefined) return { ...declaredSchema(tool), tool_version: version }
  const code = tool.code?.()
  return code === undefined ? declaredSchema(tool) : { ...declaredSchema(tool), tool_code: code }
}

/** As the schema was before it had these arguments. */
export function withoutArguments(schema: JsonObject, names: readonly string[]): JsonObject {
  const properties = Object.entries(schema['properties'] ?? {}).filter(([name]) => !names.includes(name))
  return { ...schema, properties: Object.fromEntries(properties) }
}

/** The bound schema without version and code: holds of an older Holdpoint bind only this. */
export function declaredSchema({ inputSchema, definition }: Bound): JsonObject {
  return definition ? { ...inputSchema, tool_definition: definition } : inputSchema
}

/** The parts of this tool that are bound now, as far as a hold with this schema bound them. */
export function comparableSchema(asked: JsonObject, tool: Bound): JsonObject {
  const bindsCode = 'tool_version' in asked || 'tool_code' in asked
  return bindsCode ? boundSchema(tool) : declaredSchema(tool)
}
