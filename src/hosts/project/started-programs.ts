import { extname } from 'node:path'
import type { McpServer, McpServers } from '../../core/settings/mcp-servers.ts'
import type { ChannelSettings, NotifySettings } from '../../core/settings/people/notify-settings.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import { agentModules, isAgentName } from './agent-files.ts'

/** The parts of a project that start programs, or send variables of the environment elsewhere. */
export interface StartedPrograms {
  /** The module of the project's agent; `null` if it names none, or one in Markdown, or one by name. */
  readonly agent: string | null
  readonly mcp_servers: McpServers
  /** Modules among the agents that have names. Absent if there are none. */
  readonly agents?: readonly string[]
  /** Programs and receivers of notices: secrets of the environment go there. Absent if there are none. */
  readonly notify?: ChannelSettings
}

/** Of the project in `root`, by the settings that it has itself. `null` if it starts nothing. */
export function startedPrograms(
  root: string,
  { agent, mcp_servers, notify = null }: StartingSettings,
): StartedPrograms | null {
  const module = agent !== null && extname(agent) !== '.md' && !isAgentName(agent) ? agent : null
  const servers = mcp_servers ?? {}
  const agents = agentModules(root)
  const channels = notify && noticeLines(notify.channels).length > 0 ? notify.channels : null
  if (module === null && Object.keys(servers).length === 0 && agents.length === 0 && channels === null) return null
  return {
    agent: module,
    mcp_servers: servers,
    ...(agents.length > 0 && { agents }),
    ...(channels && { notify: channels }),
  }
}

interface StartingSettings {
  readonly agent: string | null
  readonly mcp_servers: McpServers | null
  readonly notify?: NotifySettings | null
}

/** One line for each, safe to show. */
export function programLines({ agent, mcp_servers, agents = [], notify }: StartedPrograms): string[] {
  const modules = [...(agent === null ? [] : [agent]), ...agents].map(module => `agent module: ${module}`)
  const servers = Object.entries(mcp_servers).map(([name, server]) => `MCP server ${name}: ${serverText(server)}`)
  return [...modules, ...servers, ...(notify ? noticeLines(notify) : [])].map(visibleLine)
}

function noticeLines({ webhook, command, slack, mail, github }: ChannelSettings): string[] {
  return [
    ...webhook.map(({ url, secret_env }) => `notices to ${[url, ...secret_env].join('  signed with ')}`),
    ...command.map(({ argv }) => `notices by the program ${argv.join(' ')}`),
    ...(slack ? [`notices to ${slack.api_url}  with ${slack.token_env}`] : []),
    ...(mail ? [`notices by mail  with ${mail.smtp_env}`] : []),
    ...(github ? [`notices to ${github.api_url}  with ${github.token_env}`] : []),
  ]
}

function serverText(server: McpServer): string {
  if (server.type === 'http') return [server.url, ...pairs(server.headers, ': ')].join('  ')
  return [...pairs(server.env, '='), server.command, ...server.args].join(' ')
}

function pairs(texts: Readonly<Record<string, string>>, between: string): string[] {
  return Object.entries(texts).map(([name, text]) => `${name}${between}${text}`)
}
