/**
 * The programs that a project starts by its configuration are trusted once by a person.
 * T1  All of their settings are digested, so any change of them asks anew. The files that they name are not.
 * T2  The record is in the user's own configuration directory, because a project may not vouch for itself.
 */
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { extname, isAbsolute, join } from 'node:path'
import { RefusedError } from '../../core/errors.ts'
import type { McpServer, McpServers } from '../../core/settings/mcp-servers.ts'
import { canonicalJson, type JsonObject } from '../../core/text/json.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import { makePrivateDirectory } from '../process/private-directory.ts'
import type { ProjectConfig } from './project.ts'
import { projectRoot } from './project-root.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The settings of a project that start programs, or send variables of the environment elsewhere. */
export interface StartedPrograms {
  /** The module of the project's agent; `null` if it names none, or one in Markdown. */
  readonly agent: string | null
  readonly mcp_servers: McpServers
}

/** `null` if the project starts nothing. */
export function startedPrograms({
  agent,
  mcp_servers,
}: Pick<ProjectConfig, 'agent' | 'mcp_servers'>): StartedPrograms | null {
  const module = agent !== null && extname(agent) !== '.md' ? agent : null
  const servers = mcp_servers ?? {}
  return module === null && Object.keys(servers).length === 0 ? null : { agent: module, mcp_servers: servers }
}

/** One line for each, safe to show. */
export function programLines({ agent, mcp_servers }: StartedPrograms): string[] {
  const servers = Object.entries(mcp_servers).map(([name, server]) => `MCP server ${name}: ${serverText(server)}`)
  return [...(agent === null ? [] : [`agent module: ${agent}`]), ...servers].map(visibleLine)
}

function serverText(server: McpServer): string {
  if (server.type === 'http') return [server.url, ...pairs(server.headers, ': ')].join('  ')
  return [...pairs(server.env, '='), server.command, ...server.args].join(' ')
}

function pairs(texts: Readonly<Record<string, string>>, between: string): string[] {
  return Object.entries(texts).map(([name, text]) => `${name}${between}${text}`)
}

/** @throws RefusedError `project_not_trusted`; nothing of the project was started. */
export async function refuseUntrusted(
  directory: string,
  config: Pick<ProjectConfig, 'agent' | 'mcp_servers'>,
  env: Environment,
): Promise<void> {
  const started = startedPrograms(config)
  if (started === null) return
  const root = projectRoot(directory)
  const known = await knownDigest(root, env)
  if (known === (await digestOf(started))) return
  const since = known === null ? 'which you have not trusted yet' : 'and that changed since you trusted it'
  throw new RefusedError(
    'project_not_trusted',
    `The configuration of ${root} starts programs, ${since}: ${programLines(started).join('; ')}.`,
    {
      hint: `Read .holdpoint/config.json, then run \`holdpoint trust\` in ${root}; a pipeline runs \`holdpoint trust --yes\`.`,
      details: { directory: root },
    },
  )
}

/** Records that this user trusts what the project starts now. */
export async function recordTrust(below: string, started: StartedPrograms, env: Environment): Promise<void> {
  const directory = projectRoot(below)
  const { folder, file } = await recordPlace(directory, env)
  makePrivateDirectory(folder)
  const record = { directory: realpathSync(directory), digest: await digestOf(started), at: new Date().toISOString() }
  writeFileSync(file, `${JSON.stringify(record)}\n`, { mode: 0o600 })
}

export async function isTrusted(directory: string, started: StartedPrograms, env: Environment): Promise<boolean> {
  return (await knownDigest(projectRoot(directory), env)) === (await digestOf(started))
}

async function knownDigest(directory: string, env: Environment): Promise<string | null> {
  const { file } = await recordPlace(directory, env)
  if (!existsSync(file)) return null
  try {
    const record = JSON.parse(readFileSync(file, 'utf8')) as { directory?: unknown; digest?: unknown }
    return record.directory === realpathSync(directory) && typeof record.digest === 'string' ? record.digest : null
  } catch {
    // A broken record is none.
    return null
  }
}

async function recordPlace(directory: string, env: Environment): Promise<{ folder: string; file: string }> {
  const named = env['XDG_CONFIG_HOME']
  const home = named && isAbsolute(named) ? named : join(env['HOME'] || homedir(), '.config')
  const folder = join(home, 'holdpoint', 'trusted')
  return { folder, file: join(folder, `${(await sha256(realpathSync(directory))).slice(0, 32)}.json`) }
}

async function digestOf(started: StartedPrograms): Promise<string> {
  return `sha256:${await sha256(canonicalJson(started as unknown as JsonObject))}`
}

/** Loaded when it is needed: most projects start nothing. */
async function sha256(text: string): Promise<string> {
  return (await import('node:crypto')).createHash('sha256').update(text).digest('hex')
}
