/**
 * One server, for as long as this process lives. Keeps: a call never runs another definition than its run knows (P9).
 * If the server went away during a call, the result says that the outcome is unknown (P3). No caller waits for a server
 * that is down.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { CallToolResult } from '@modelcontextprotocol/client'
import { orAborted } from '../../async/on-abort.ts'
import { messageOf, RefusedError, ToolError } from '../../core/errors.ts'
import { canonicalJson, type Json, type JsonObject } from '../../core/text/json.ts'
import { endOf, failedCall } from './call-failure.ts'
import { type ExpandedServer, withoutSecrets } from './expand-server.ts'
import { type ClientDeps, type OpenClient, openClient } from './open-client.ts'

/** How old a list may be that its server does not keep up to date, in milliseconds. */
const FRESH_MS = 300
/** Between a loss and the next try; doubled with each that follows, until an answer. */
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 30_000
/** P6: after so long without a use it is stopped, until the next. */
const IDLE_MS = 5 * 60_000
/** However much progress a call reports. */
const LONGEST_CALL_MS = 24 * 3_600_000

/** A tool as its server declares it. */
export interface ListedTool {
  readonly name: string
  readonly title: string | null
  readonly description: string | null
  readonly inputSchema: JsonObject
  readonly annotations: JsonObject | null
}

export interface ConnectionOptions extends ExpandedServer {
  readonly name: string
  readonly site: Pick<ClientDeps, 'directory' | 'actor' | 'environment' | 'version'>
  /** Default: a second. */
  readonly firstWaitMs?: number
  /** Default: five minutes. */
  readonly idleMs?: number
}

interface Live extends OpenClient {
  tools: readonly ListedTool[]
  listedAt: number
  renewing: Promise<void> | null
  /** Its list is not what it was. */
  hasNews: boolean
  /** True while a caller is about to ask for the list again. */
  isHeeding: boolean
  isLost: boolean
}

export class ServerConnection {
  readonly #options: ConnectionOptions
  #live: Live | null = null
  #connecting: Promise<Live> | null = null
  #failures = 0
  #retryAt = 0
  #lastTrouble = ''
  #version = 0
  #known = ''
  #isClosed = false
  #uses = 0
  #bedtime: NodeJS.Timeout | null = null

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  /** Another one after each change of what the server is known to offer. */
  get version(): number {
    return this.#version
  }

  /** The tools that the server offers now. @throws RefusedError `mcp_server_unavailable` */
  async tools(): Promise<{ readonly tools: readonly ListedTool[]; readonly version: number }> {
    using _ = this.#inUse()
    try {
      const live = await this.#connected()
      await this.#renewList(live)
      return { tools: live.tools, version: this.#version }
    } catch (thrown) {
      const { name } = this.#options
      throw new RefusedError(
        'mcp_server_unavailable',
        `The MCP server ${name} cannot be used: ${this.safeText(messageOf(thrown))}`,
        {
          hint: `Correct mcp_servers.${name} in the project's configuration, or start the server.`,
        },
      )
    }
  }

  /** @throws ToolError; it says so if the call may have taken effect. */
  async call(tool: ListedTool, args: JsonObject, signal: AbortSignal): Promise<CallToolResult> {
    if (signal.aborted)
      throw new ToolError('TOOL_CALL_INTERRUPTED', 'The call was stopped before it began. It had no effect.')
    using _ = this.#inUse()
    const live = await this.#readyFor(tool, signal)
    try {
      const result = await live.client.callTool({ name: tool.name, arguments: { ...args } }, this.#callOptions(signal))
      this.#failures = 0
      return result
    } catch (thrown) {
      throw await this.#whyFailed(live, thrown, signal)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#bedtime) clearTimeout(this.#bedtime)
    await this.#connecting?.catch(() => {})
    await this.#stop()
  }

  /** That it goes now is no loss. */
  async #stop(): Promise<void> {
    const live = this.#live
    if (!live) return
    this.#live = null
    live.isLost = true
    await live.client.close().catch(() => {})
  }

  /** Until it is disposed of; some time after the last one, the server is stopped. */
  #inUse(): Disposable {
    this.#uses += 1
    if (this.#bedtime) clearTimeout(this.#bedtime)
    return {
      [Symbol.dispose]: () => {
        this.#uses -= 1
        if (this.#uses > 0 || this.#isClosed) return
        this.#bedtime = setTimeout(() => void this.#stop(), this.#options.idleMs ?? IDLE_MS).unref()
      },
    }
  }

  /** Blacks out what the server was given in confidence. */
  safeText(text: string): string {
    return withoutSecrets(text, this.#options.secrets)
  }

  #callOptions(signal: AbortSignal): object {
    const timeout = this.#options.server.timeout_seconds * 1000
    const maxTotalTimeout = Math.max(timeout, LONGEST_CALL_MS)
    return { signal, timeout, maxTotalTimeout, resetTimeoutOnProgress: true, onprogress: () => {} }
  }

  /** Connects, and makes sure that the tool is as the run knows it. If it throws, nothing was run. */
  async #readyFor(tool: ListedTool, signal: AbortSignal): Promise<Live> {
    try {
      const live = await orAborted(this.#connected(), signal)
      await orAborted(this.#renewList(live), signal)
      if (live.tools.some(now => isSame(now, tool))) return live
    } catch (thrown) {
      if (signal.aborted)
        throw new ToolError('TOOL_CALL_INTERRUPTED', 'The call was stopped before it began. It had no effect.')
      throw new ToolError(
        'MCP_SERVER_DOWN',
        `The MCP server ${this.#options.name} cannot be reached, so the call was not made: ${this.safeText(messageOf(thrown))}`,
      )
    }
    throw new ToolError(
      'MCP_TOOL_CHANGED',
      `The MCP server ${this.#options.name} has changed or removed ${tool.name} since this call was made, so it was not run. Look at the tool as it is now.`,
    )
  }

  #connected(): Promise<Live> {
    if (this.#live) return Promise.resolve(this.#live)
    const wait = this.#retryAt - performance.now()
    if (!this.#connecting && wait > 0) return Promise.reject(new DownError(this.#lastTrouble, wait))
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = null
    })
    return this.#connecting
  }

  async #connect(): Promise<Live> {
    // One that was given up may close long after the next one was opened.
    let own: Live | null = null
    try {
      const { server, site } = this.#options
      const open = await openClient(server, {
        ...site,
        onListChanged: () => own && void this.#heedChange(own),
        onClose: () => own && this.#lose(own),
      })
      own = { ...open, tools: [], listedAt: 0, renewing: null, hasNews: true, isHeeding: false, isLost: false }
      await this.#renewList(own)
      if (own.isLost) throw new Error(`it ended at once. ${own.describe()}`)
      this.#live = own
      return own
    } catch (thrown) {
      await own?.client.close().catch(() => {})
      this.#setBack(messageOf(thrown))
      throw thrown
    }
  }

  async #heedChange(live: Live): Promise<void> {
    live.hasNews = true
    // One that tells of a change each time that it is asked is not asked without end.
    if (live.isHeeding) return
    live.isHeeding = true
    await delay(HEED_MS, undefined, { ref: false })
    live.isHeeding = false
    await this.#renewList(live).catch(() => {})
  }

  /**
   * Asks again if the list may have changed, also while it was asked for. If a server always tells of changes, its last
   * list counts.
   */
  async #renewList(live: Live): Promise<void> {
    for (let round = 0; round < MOST_ROUNDS && isListOld(live); round += 1) {
      live.renewing ??= this.#list(live).finally(() => {
        live.renewing = null
      })
      await live.renewing
    }
  }

  async #list(live: Live): Promise<void> {
    live.hasNews = false
    try {
      live.tools = await listOf(live)
      live.listedAt = performance.now()
    } catch (thrown) {
      live.hasNews = true
      throw thrown
    }
    const known = canonicalJson(live.tools.map(tool => ({ ...tool })))
    if (known !== this.#known) this.#version += 1
    this.#known = known
  }

  #lose(live: Live): void {
    if (live.isLost) return
    live.isLost = true
    if (this.#live !== live) return
    this.#live = null
    if (!this.#isClosed) this.#setBack(live.describe())
  }

  #setBack(trouble: string): void {
    const first = this.#options.firstWaitMs ?? FIRST_WAIT_MS
    this.#retryAt = performance.now() + Math.min(first * 2 ** this.#failures, LONGEST_WAIT_MS)
    this.#failures += 1
    this.#lastTrouble = trouble
  }

  async #whyFailed(live: Live, thrown: unknown, signal: AbortSignal): Promise<ToolError> {
    const { name, server } = this.#options
    const end = signal.aborted ? 'stopped' : await endOf(thrown, live.isLost)
    const message = this.safeText(messageOf(thrown))
    if (end !== 'lost') return failedCall(end, { name, message, seconds: server.timeout_seconds })
    const trouble = this.safeText(live.describe() || `${message}.`)
    this.#lose(live)
    void live.client.close().catch(() => {})
    return failedCall('lost', { name, message: trouble, seconds: 0 })
  }
}

const MOST_ROUNDS = 3
/** From the word of a change to asking for it. */
const HEED_MS = 20

class DownError extends Error {
  constructor(trouble: string, waitMs: number) {
    super(`it is down, and tried again in ${(waitMs / 1000).toFixed(1)} seconds at the earliest. ${trouble}`.trim())
  }
}

/** A server that tells of no changes is asked again after a while. */
function isListOld({ client, hasNews, listedAt }: Live): boolean {
  const tells = client.getServerCapabilities()?.tools?.listChanged === true
  return hasNews || (!tells && performance.now() - listedAt > FRESH_MS)
}

async function listOf({ client }: Live): Promise<ListedTool[]> {
  // Asked for its tools, one that says it has none would have the client print to stdout.
  if (!client.getServerCapabilities()?.tools) return []
  const { tools } = await client.listTools(undefined, { cacheMode: 'refresh' })
  return tools.map(({ name, title, description, inputSchema, annotations }) => ({
    name,
    title: title ?? annotations?.title ?? null,
    description: description ?? null,
    inputSchema: inputSchema as JsonObject,
    annotations: (annotations as JsonObject | undefined) ?? null,
  }))
}

function isSame(one: ListedTool, other: ListedTool): boolean {
  return canonicalJson({ ...one } as Json) === canonicalJson({ ...other } as Json)
}
