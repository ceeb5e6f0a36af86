/** Which MCP servers an agent may use, and their tools. None is started before an agent that may use it is loaded. */
import { existsSync } from 'node:fs'
import type { Profile } from '../../core/run/profile.ts'
import { type McpServers, toolPrefix } from '../../core/settings/mcp-servers.ts'
import { secretVariables } from '../../core/settings/people/secret-variables.ts'
import type { Passed } from '../../ports/process/command-environment.ts'
import type { MountedServers, MountedTools } from '../../tools/mcp-servers/mounted-servers.ts'
import { endOnSignal } from '../process/interruption.ts'
import { noteCommand } from '../process/lineage/command-notes.ts'
import { type ProjectConfig, readConfig } from '../project/project.ts'
import { projectRoot } from '../project/project-root.ts'
import { refuseUntrusted } from '../project/trust.ts'

export interface ServerDeps {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The working directory of servers that the host itself names. */
  readonly directory: string
  readonly servers: McpServers
  /** The variables that commands inherit. */
  readonly pass: Passed
}

/** Names of tools, or globs over them; `null` for all. */
export type Wanted = readonly string[] | null

/** The tools of servers that an agent may use. */
export interface AgentTools extends MountedTools {
  /** All that there are, also those that were not asked. */
  readonly servers: readonly string[]
  readonly pass: Passed
}

interface Settings extends Pick<ServerDeps, 'servers' | 'directory' | 'pass'> {
  /** The configuration of a project, which must be trusted; `null` for settings of the host itself. */
  readonly config: ProjectConfig | null
}

/** The version of the client code for servers, not of the package. */
const CLIENT_VERSION = '1'

const NONE: MountedTools = { tools: new Map(), leftOut: [], isCurrent: () => true }

export class AgentServers implements AsyncDisposable {
  readonly #deps: ServerDeps
  #mounted: Promise<MountedServers> | null = null

  constructor(deps: ServerDeps) {
    this.#deps = deps
  }

  /**
   * The tools that all of `wanted` allow. @throws RefusedError if a server cannot be used that is required, or of which
   * `wanted` names a tool.
   */
  async tools(profile: Profile, wanted: readonly Wanted[]): Promise<AgentTools> {
    const { servers, directory, pass, config } = await this.#settingsOf(profile)
    const needed = Object.entries(servers).filter(([name]) => wanted.every(each => mayName(each, toolPrefix(name))))
    if (config !== null && needed.length > 0) await refuseUntrusted(directory, config, this.#deps.environment)
    const mounted =
      needed.length === 0
        ? NONE
        : await this.#mount(Object.fromEntries(needed), directory, server =>
            wanted.some(each => names(each, toolPrefix(server))),
          )
    return { ...mounted, servers: Object.keys(servers), pass }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const mounted = this.#mounted
    this.#mounted = null
    await (await mounted)?.[Symbol.asyncDispose]()
  }

  /** The variables that commands of such a run inherit. */
  async passedBy(profile: Profile): Promise<Passed> {
    return (await this.#settingsOf(profile)).pass
  }

  /**
   * The settings of the directory in which the run was started. If that is not on this machine: of its project
   * directory.
   */
  async #settingsOf(profile: Profile): Promise<Settings> {
    const { configured_in: home = null, project } = profile
    const place = home !== null && existsSync(home) ? home : project
    if (place === null) return { ...this.#deps, config: null }
    const config = await readConfig(place, this.#deps.environment)
    const pass = {
      ...{ only: config.environment, never: secretVariables(config) },
      ...{ hosts: config.fetch_url.allow, box: config.box },
    }
    return { servers: config.mcp_servers ?? {}, directory: projectRoot(place), pass, config }
  }

  async #mount(servers: McpServers, directory: string, isNeeded: (server: string) => boolean): Promise<MountedTools> {
    this.#mounted ??= this.#open()
    // Starting a server may take long, and a process that is asked to stop meanwhile leaves none running.
    using _ = endOnSignal()
    return await (await this.#mounted).mount(servers, directory, isNeeded)
  }

  async #open(): Promise<MountedServers> {
    const { MountedServers: Servers } = await import('../../tools/mcp-servers/mounted-servers.ts')
    return new Servers({ environment: this.#deps.environment, noteCommand, version: CLIENT_VERSION })
  }
}

export function isGlob(name: string): boolean {
  return name.includes('*')
}

/** Whether a name that begins so may be among those that are wanted. */
function mayName(wanted: Wanted, prefix: string): boolean {
  if (wanted === null) return true
  return wanted.some(pattern => {
    const [head = ''] = pattern.split('*')
    return head.startsWith(prefix) || (isGlob(pattern) && prefix.startsWith(head))
  })
}

/** Whether a pattern of `wanted` is about tools of this prefix alone. */
function names(wanted: Wanted, prefix: string): boolean {
  return wanted?.some(pattern => pattern.startsWith(prefix)) ?? false
}
