import type { ClientTool } from '../../core/run/client-tool.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { toTool } from '../../tools/define/to-tool.ts'

/** The agent's tools and those of the client. A tool of the agent is never replaced by one of the same name. */
export function withClientTools(
  tools: ReadonlyMap<string, Tool>,
  added: readonly ClientTool[] = [],
): ReadonlyMap<string, Tool> {
  if (added.length === 0) return tools
  const made = added.map(({ name, description, input_schema: inputSchema }) =>
    toTool(name, { description, inputSchema }),
  )
  return new Map([...made.map((tool): [string, Tool] => [tool.name, tool]), ...tools])
}
