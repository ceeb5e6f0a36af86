import { RefusedError } from '../../core/errors.ts'
import type { McpServer, McpServers } from '../../core/settings/mcp-servers.ts'
import { canonicalJson, type JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { NoteCommand } from '../../ports/process/note-command.ts'
import { expandServer } from './expand-server.ts'
import { mountedTool } from './mounted-tool.ts'
import { ServerConnection } from './server-connection.ts'

export interface MountedTools {
  readonly tools: ReadonlyMap<string, Tool>
  /** False once a server offers something else. */
  isCurrent(): boolean
}

export interface MountDeps {
  /** The environment for variables in the settings. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly noteCommand?: NoteCommand | undefined
  /** Of Holdpoint, as servers are told it. */
  readonly version: string
  /** Between the loss of a server and the next try, in milliseconds. Default: a second. */
  readonly firstWaitMs?: number
  /** How long a server that is not used is kept, in milliseconds. Default: five minutes. */
  readonly idleMs?: number
}

/** The connections of this process: one for each server of each project, from when it is first needed to the end. */
export class MountedServers implements AsyncDisposable {
  readonly #site: MountDeps
  readonly #connections = new Map<string, ServerConnection>()

  constructor(site: MountDeps) {
    this.#site = site
  }

  /** The tools that these servers offer now. Servers that are processes work in `directory`. @throws RefusedError */
  async mount(servers: McpServers, directory: string): Promise<MountedTools> {
    const [first] = Object.keys(servers)
    if (first !== undefined) this.#refuseWithinServer(first)
    const entries = Object.entries(servers).map(([name, server]) => ({
      name,
      server,
      connection: this.#connectionTo(name, server, directory),
    }))
    const offers = await Promise.all(entries.map(async entry => ({ ...entry, ...(await entry.connection.tools()) })))
    const tools = offers.flatMap(offer => offer.tools.map(listed => mountedTool(offer, listed)))
    refuseCollisions(tools)
    return {
      tools: new Map(tools.map(tool => [tool.name, tool])),
      isCurrent: () => offers.every(({ connection, version }) => connection.version === version),
    }
  }

  /** Stops the servers. */
  async [Symbol.asyncDispose](): Promise<void> {
    const connections = [...this.#connections.values()]
    this.#connections.clear()
    await Promise.all(connections.map(connection => connection.close()))
  }

  /** One that is started in the project that names it would start itself, without end. */
  #refuseWithinServer(name: string): void {
    const within = this.#site.environment['HOLDPOINT_WITHIN']
    if (!within?.startsWith(SERVER_ACTOR)) return
    const own = within.slice(SERVER_ACTOR.length)
    throw new RefusedError(
      'server_within_server',
      `This is itself started as the MCP server ${own} of an agent, so it starts no MCP server ${name}.`,
      { hint: `Give ${own} tools that need none, such as run_command, or disable it.` },
    )
  }

  #connectionTo(name: string, server: McpServer, directory: string): ServerConnection {
    const { environment, version, noteCommand, ...timing } = this.#site
    const expanded = expandServer(name, server, environment)
    const key = canonicalJson({ directory, name, server: expanded.server as unknown as JsonObject })
    const known = this.#connections.get(key)
    if (known) return known
    const site = { directory, environment, version, noteCommand, actor: `${SERVER_ACTOR}${name}` }
    const connection = new ServerConnection({ name, ...expanded, site, ...timing })
    this.#connections.set(key, connection)
    return connection
  }
}

/** How a server signs, should it be a Holdpoint. */
const SERVER_ACTOR = 'agent:mcp.'

/** A name that two servers share would be ambiguous. */
function refuseCollisions(tools: readonly Tool[]): void {
  const names = tools.map(({ name }) => name)
  const twice = tools.find(({ name }, index) => names.indexOf(name) !== index)
  if (!twice) return
  const { definition } = twice
  throw new RefusedError(
    'colliding_tools',
    `The MCP server ${definition?.['server']} offers two tools that would both be called ${twice.name}.`,
    { hint: 'Disable the server in the project configuration, or have it name its tools differently.' },
  )
}
