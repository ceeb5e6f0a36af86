import type { JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'

/**
 * P9: what an approval binds of a tool: its schema, and with it what is said of it elsewhere, in a place of its own, so
 * that both are kept, compared and shown as one.
 */
export function boundSchema({ inputSchema, definition }: Pick<Tool, 'inputSchema' | 'definition'>): JsonObject {
  return definition ? { ...inputSchema, tool_definition: definition } : inputSchema
}
