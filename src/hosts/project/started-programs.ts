import { extname } from 'node:path'
import type { McpServer, McpServers } from '../../core/settings/mcp-servers.ts'
import type { ChannelSettings, NotifySettings } from '../../core/settings/people/notify-settings.ts'
import type { PushSettings } from '../../core/settings/people/push-settings.ts'
import type { SignInSettings } from '../../core/settings/people/sign-in-settings.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import { agentModules, isAgentName } from './agent-files.ts'

/** The parts of a project that start programs, send variables of the environment elsewhere, or let others say who people are. */
export interface StartedPrograms {
  /** The module of the project's agent; `null` if it names none, or one in Markdown, or one by name. */
  readonly agent: string | null
  readonly mcp_servers: McpServers
  /** Modules among the agents that have names. Absent if there are none. */
  readonly agents?: readonly string[]
  /** Programs and receivers of notices: secrets of the environment go there. Absent if there are none. */
  readonly notify?: ChannelSettings
  /** Pushes may reach the network of this machine. Absent if they may not. */
  readonly push?: PushSettings
  /** Providers and proxies whose word signs people in. Absent if there are none. */
  readonly sign_in?: SignInSettings
}

/** The programs of the project in `root`, by its own settings. `null` if it starts nothing. */
export function startedPrograms(
  root: string,
  { agent, mcp_servers, notify = null, push = null, sign_in = null }: StartingSettings,
): StartedPrograms | null {
  const module = agent !== null && extname(agent) !== '.md' && !isAgentName(agent) ? agent : null
  const servers = mcp_servers ?? {}
  const agents = agentModules(root)
  const channels = notify && noticeLines(notify.channels).length > 0 ? notify.channels : null
  const started: StartedPrograms = {
    agent: module,
    mcp_servers: servers,
    ...(agents.length > 0 && { agents }),
    ...(channels && { notify: channels }),
    ...(push?.allow_private && { push }),
    ...(sign_in && { sign_in }),
  }
  return programLines(started).length === 0 ? null : started
}

interface StartingSettings {
  readonly agent: string | null
  readonly mcp_servers: McpServers | null
  readonly notify?: NotifySettings | null
  readonly push?: PushSettings | null
  readonly sign_in?: SignInSettings | null
}

/** A line for each program, safe to show. */
export function programLines({ agent, mcp_servers, agents = [], notify, push, sign_in }: StartedPrograms): string[] {
  const modules = [...(agent === null ? [] : [agent]), ...agents].map(module => `agent module: ${module}`)
  const servers = Object.entries(mcp_servers).map(([name, server]) => `MCP server ${name}: ${serverText(server)}`)
  const others = [
    ...(notify ? noticeLines(notify) : []),
    ...(push ? ['pushes also to addresses of this machine and its network'] : []),
    ...(sign_in ? signInLines(sign_in) : []),
  ]
  return [...modules, ...servers, ...others].map(visibleLine)
}

function signInLines({ oidc, trusted_proxy }: SignInSettings): string[] {
  return [
    ...(oidc ? [`people sign in at ${oidc.issuer}`] : []),
    ...(trusted_proxy ? [`people are signed in by ${trusted_proxy.header} of ${trusted_proxy.issuer}`] : []),
  ]
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
