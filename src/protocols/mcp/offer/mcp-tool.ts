import type { CallToolResult, InputRequiredResult, ServerContext, Tool } from '@modelcontextprotocol/server'
import type { Role } from '../../../core/people/role.ts'
import type { JsonObject } from '../../../core/text/json.ts'
import type { Control } from '../../../ports/agent/control.ts'
import type { Client } from './client-of.ts'
import type { Identity } from './offer.ts'

export interface McpCall {
  /** Arguments that fit `inputSchema`. */
  readonly args: JsonObject
  readonly client: Client
  readonly identity: Identity
  readonly context: ServerContext
  readonly request: ServerContext['mcpReq']
  /** Aborted when no caller waits for the answer any more, or when the server is to end. */
  readonly signal: AbortSignal
}

/** A result, a form to be filled in first, or a task that a client looks at from time to time. */
export type McpAnswer = CallToolResult | InputRequiredResult | TaskHandle

/** The handle of the extension for tasks (2026-07-28). */
export interface TaskHandle {
  readonly resultType: 'task'
  readonly taskId: string
  readonly [field: string]: unknown
}

export interface McpTool {
  readonly listed: Tool
  /** The least that its caller must be. */
  readonly role: Role
  readonly inputSchema: JsonObject
  call(call: McpCall): Promise<McpAnswer>
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
