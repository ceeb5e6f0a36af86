import { extname } from 'node:path'
import type { McpServer, McpServers } from '../../core/settings/mcp-servers.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import { agentModules, isAgentName } from './agent-files.ts'

/** The parts of a project that start programs, or send variables of the environment elsewhere. */
export interface StartedPrograms {
  /** The module of the project's agent; `null` if it names none, or one in Markdown, or one by name. */
  readonly agent: string | null
  readonly mcp_servers: McpServers
  /** Modules among the agents that have names. Absent if there are none. */
  readonly agents?: readonly string[]
}

/** Of the project in `root`, by the settings that it has itself. `null` if it starts nothing. */
export function startedPrograms(
  root: string,
  { agent, mcp_servers }: { readonly agent: string | null; readonly mcp_servers: McpServers | null },
): StartedPrograms | null {
  const module = agent !== null && extname(agent) !== '.md' && !isAgentName(agent) ? agent : null
  const servers = mcp_servers ?? {}
  const agents = agentModules(root)
  if (module === null && Object.keys(servers).length === 0 && agents.length === 0) return null
  return { agent: module, mcp_servers: servers, ...(agents.length > 0 && { agents }) }
}

/** One line for each, safe to show. */
export function programLines({ agent, mcp_servers, agents = [] }: StartedPrograms): string[] {
  const modules = [...(agent === null ? [] : [agent]), ...agents].map(module => `agent module: ${module}`)
  const servers = Object.entries(mcp_servers).map(([name, server]) => `MCP server ${name}: ${serverText(server)}`)
  return [...modules, ...servers].map(visibleLine)
}

function serverText(server: McpServer): string {
  if (server.type === 'http') return [server.url, ...pairs(server.headers, ': ')].join('  ')
  return [...pairs(server.env, '='), server.command, ...server.args].join(' ')
}

function pairs(texts: Readonly<Record<string, string>>, between: string): string[] {
  return Object.entries(texts).map(([name, text]) => `${name}${between}${text}`)
}
