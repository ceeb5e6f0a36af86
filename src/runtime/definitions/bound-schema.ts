import type { JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'

type Bound = Pick<Tool, 'inputSchema' | 'definition' | 'version' | 'code'>

/**
 * P9: what an approval binds of a tool: its schema, what is said of it elsewhere, and its version or code. All of it is
 * one object, so that it is kept, compared and shown as one.
 */
export function boundSchema(tool: Bound): JsonObject {
  const { version } = tool
  if (version !== undefined) return { ...declaredSchema(tool), tool_version: version }
  const code = tool.code?.()
  return code === undefined ? declaredSchema(tool) : { ...declaredSchema(tool), tool_code: code }
}

/** The same without version and code: a hold of an older Holdpoint binds no more. */
export function declaredSchema({ inputSchema, definition }: Bound): JsonObject {
  return definition ? { ...inputSchema, tool_definition: definition } : inputSchema
}

/** The parts of this tool that are bound now, as far as a hold with this schema bound them. */
export function comparableSchema(asked: JsonObject, tool: Bound): JsonObject {
  const bindsCode = 'tool_version' in asked || 'tool_code' in asked
  return bindsCode ? boundSchema(tool) : declaredSchema(tool)
}
