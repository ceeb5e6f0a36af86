import type { CallToolResult, InputRequiredResult, ServerContext, Tool } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../../core/text/json.ts'
import type { Control } from '../../../ports/agent/control.ts'
import type { Client } from './client-of.ts'

export interface McpCall {
  /** They fit `inputSchema`. */
  readonly args: JsonObject
  readonly client: Client
  readonly request: ServerContext['mcpReq']
  /** Aborted when no caller waits for the answer any more, or when the server is to end. */
  readonly signal: AbortSignal
}

export interface McpTool {
  readonly listed: Tool
  readonly inputSchema: JsonObject
  call(call: McpCall): Promise<CallToolResult | InputRequiredResult>
}

/** The listing of a control. Names that its schema does not know are refused, even if the schema forgot to say so. */
export function listedAs(
  control: Pick<Control, 'name' | 'title' | 'description' | 'inputSchema' | 'outputSchema' | 'hints'>,
): Pick<McpTool, 'listed' | 'inputSchema'> {
  const { name, title, description, outputSchema, hints } = control
  const inputSchema: JsonObject = { additionalProperties: false, ...control.inputSchema }
  const listed = {
    name,
    title,
    description,
    inputSchema: inputSchema as Tool['inputSchema'],
    outputSchema: outputSchema as Tool['outputSchema'],
    annotations: {
      title,
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: hints.openWorld,
    },
  }
  return { listed, inputSchema }
}
