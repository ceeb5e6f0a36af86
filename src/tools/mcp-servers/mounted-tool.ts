import { factsOfForeignCall } from '../../core/policy/own-records.ts'
import type { McpServer } from '../../core/settings/mcp-servers.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { validateArguments } from '../define/json-schema.ts'
import type { ServerConnection } from './server-connection.ts'
import type { ListedTool } from './tool-list.ts'
import { toolName } from './tool-name.ts'
import { toolResult } from './tool-result.ts'

interface Mounting {
  readonly name: string
  readonly server: McpServer
  readonly connection: ServerConnection
}

/** A tool of a server, as any other tool. Its server's description is part of what an approval binds (P9). */
export function mountedTool({ name, server, connection }: Mounting, listed: ListedTool): Tool {
  const { inputSchema, title, description, annotations } = listed
  return {
    name: toolName(name, listed.name),
    description: description ?? title ?? '',
    inputSchema,
    definition: { server: name, name: listed.name, title, description, annotations },
    ...effects(listed, server.trusted),
    needsApproval: () => null,
    inspect: factsOfForeignCall,
    validate: args => validateArguments(inputSchema, args),
    execute: async (args, { abortSignal }) => {
      const result = await connection.call(listed, args, abortSignal)
      return toolResult(result, text => connection.safeText(text))
    },
  }
}

/**
 * Any server can call its tools harmless. If a server is not trusted, all its tools count as destructive, and none as
 * repeatable. A trusted server has the defaults of the protocol.
 */
function effects({ annotations }: ListedTool, isTrusted: boolean): Pick<Tool, 'idempotent' | 'destructive'> {
  if (!isTrusted) return { idempotent: false, destructive: true }
  const says = (hint: string, usual: boolean) => (typeof annotations?.[hint] === 'boolean' ? annotations[hint] : usual)
  const onlyReads = says('readOnlyHint', false)
  return {
    idempotent: onlyReads || says('idempotentHint', false),
    destructive: !onlyReads && says('destructiveHint', true),
  }
}
