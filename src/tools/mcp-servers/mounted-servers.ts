import { createHash } from 'node:crypto'
import { RefusedError } from '../../core/errors.ts'
import { factsOfForeignCall } from '../../core/policy/own-records.ts'
import { toolRefusals } from '../../core/refusals/tool-refusals.ts'
import { type McpServer, type McpServers, toolPrefix } from '../../core/settings/mcp-servers.ts'
import { canonicalJson, type JsonObject, jsonText } from '../../core/text/json.ts'
import type { LeftOutTools } from '../../ports/agent/agent-source.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { NoteCommand } from '../../ports/process/note-command.ts'
import { validateArguments } from '../define/json-schema.ts'
import { expandServer } from './expand-server.ts'
import { ServerConnection } from './server-connection.ts'
import type { ListedTool, UnusableTool } from './tool-list.ts'
import { toolResult } from './tool-result.ts'

export interface MountedTools {
  readonly tools: ReadonlyMap<string, Tool>
  /** What cannot be used, and need not be. */
  readonly leftOut: readonly LeftOutTools[]
  /** False once a server offers something else. */
  isCurrent(): boolean
}

export interface MountDeps {
  /** The environment for variables in the settings. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly noteCommand?: NoteCommand | undefined
  /** The version of Holdpoint that servers are given. */
  readonly version: string
  /** Between the loss of a server and the next try, in milliseconds. Default: a second. */
  readonly firstWaitMs?: number
  /** How long a server that is not used is kept, in milliseconds. Default: five minutes. */
  readonly idleMs?: number
}

/** The connections of this process: one for each server of each project, from when it is first needed to the end. */
export class MountedServers implements AsyncDisposable {
  readonly #deps: MountDeps
  readonly #connections = new Map<string, ServerConnection>()

  constructor(deps: MountDeps) {
    this.#deps = deps
  }

  /**
   * The tools that these servers offer now. Servers that are processes work in `directory`. A server that cannot be used
   * and is not needed is left out. @throws RefusedError
   */
  async mount(
    servers: McpServers,
    directory: string,
    isNeeded: (server: string) => boolean = () => true,
  ): Promise<MountedTools> {
    const [first] = Object.keys(servers)
    if (first !== undefined) this.#refuseWithinServer(first)
    const mounting = Object.entries(servers).map(async ([name, server]): Promise<Offer | LeftOutTools> => {
      try {
        return await this.#offerOf(name, server, directory)
      } catch (thrown) {
        if (!(thrown instanceof RefusedError) || server.required || isNeeded(name)) throw thrown
        return { name, prefix: toolPrefix(name), error: thrown }
      }
    })
    const mounted = await Promise.all(mounting)
    const offers = mounted.filter(each => 'connection' in each)
    return {
      tools: new Map(offers.flatMap(({ tools }) => tools.map(tool => [tool.name, tool]))),
      leftOut: mounted.flatMap(each => ('error' in each ? [each] : each.leftOut)),
      isCurrent: () => offers.every(({ connection, version }) => connection.version === version),
    }
  }

  async #offerOf(name: string, server: McpServer, directory: string): Promise<Offer> {
    const connection = this.#connectionTo(name, server, directory)
    const { tools: listed, unusable, version } = await connection.tools()
    const tools = listed.map(each => mountedTool({ name, server, connection }, each))
    refuseCollisions(tools)
    return { connection, version, tools, leftOut: unusable.map(each => leftOutTool(name, each)) }
  }

  /** Stops the servers. */
  async [Symbol.asyncDispose](): Promise<void> {
    const connections = [...this.#connections.values()]
    this.#connections.clear()
    await Promise.all(connections.map(connection => connection.close()))
  }

  /** Refuses the server that this process runs within: it would start itself without end. */
  #refuseWithinServer(name: string): void {
    const within = this.#deps.environment['HOLDPOINT_WITHIN']
    if (!within?.startsWith(SERVER_ACTOR)) return
    const own = within.slice(SERVER_ACTOR.length)
    throw toolRefusals.serverWithinServer(own, name)
  }

  #connectionTo(name: string, server: McpServer, directory: string): ServerConnection {
    const { environment, version, noteCommand, ...timing } = this.#deps
    const expanded = expandServer(name, server, environment)
    const key = canonicalJson({ directory, name, server: expanded.server as unknown as JsonObject })
    const known = this.#connections.get(key)
    if (known) return known
    const deps = { directory, environment, version, noteCommand, actor: `${SERVER_ACTOR}${name}` }
    const connection = new ServerConnection({ name, ...expanded, deps, ...timing })
    this.#connections.set(key, connection)
    return connection
  }
}

interface Offer {
  readonly connection: ServerConnection
  readonly version: number
  readonly tools: readonly Tool[]
  readonly leftOut: readonly LeftOutTools[]
}

function leftOutTool(server: string, { name: listed, fault }: UnusableTool): LeftOutTools {
  const name = toolName(server, listed)
  return { name, prefix: name, error: toolRefusals.unusableTool(server, listed, fault) }
}

/** How a server signs, should it be a Holdpoint. */
const SERVER_ACTOR = 'agent:mcp.'

/** A name that two tools share would be ambiguous. No two servers share a prefix. */
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

interface Mounting {
  readonly name: string
  readonly server: McpServer
  readonly connection: ServerConnection
}

/** A tool of a server, as any other tool. Its server's description is part of what an approval binds (P9). */
function mountedTool({ name, server, connection }: Mounting, listed: ListedTool): Tool {
  const { inputSchema, title, description, annotations } = listed
  return {
    name: toolName(name, listed.name),
    description: description ?? title ?? '',
    inputSchema,
    definition: { server: name, name: listed.name, title, description, annotations },
    ...(title !== null && { title: args => titleWith(title, args) }),
    ...effects(listed, server.trusted),
    needsApproval: () => null,
    inspect: factsOfForeignCall,
    validate: args => validateArguments(inputSchema, args),
    execute: async (args, context) => {
      const { idempotent: isRepeatable } = effects(listed, server.trusted)
      const result = await connection.calls.call({ tool: listed, args, isRepeatable }, context)
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

/** The limit of model providers, in characters. */
const LONGEST = 64
const MARK_LENGTH = 6

/**
 * `server__tool`. A name that models would not take is changed to fit, and marked with the start of its hash: it
 * depends on nothing but itself, so that a rule for it never applies to another tool later.
 */
function toolName(server: string, tool: string): string {
  const wanted = `${toolPrefix(server)}${tool}`
  if (/^[a-zA-Z0-9_-]+$/.test(tool) && wanted.length <= LONGEST) return wanted
  const mark = createHash('sha256').update(tool).digest('hex').slice(0, MARK_LENGTH)
  const fitting = wanted.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST - MARK_LENGTH - 1)
  return `${fitting}_${mark}`
}

/** The title of its server, with the arguments: one title is for all calls of the tool. */
function titleWith(title: string, args: JsonObject): string {
  const words = Object.entries(args).map(([name, value]) => `${name} ${jsonText(value ?? null)}`)
  return words.length === 0 ? title : `${title}: ${words.join(', ')}`
}
