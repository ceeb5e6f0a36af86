/**
 * One server, for as long as this process lives: it is started when it is used, stopped when it is idle, and tried
 * again after a loss. A call never runs another definition than its run knows (P9). If the server is lost during a
 * call, the result reports that the outcome is unknown (P3). No caller waits for a server that is down.
 */

import { orAborted } from '../../async/on-abort.ts'
import { messageOf, ToolError } from '../../core/errors.ts'
import { toolRefusals } from '../../core/refusals/tool-refusals.ts'
import { canonicalJson } from '../../core/text/json.ts'
import { endOf, failedCall, lostSession } from './call-failure.ts'
import { type ExpandedServer, withoutSecrets } from './expand-server.ts'
import type { LiveCall } from './live-call.ts'
import { type ClientDeps, type OpenClient, openClient } from './open-client.ts'
import { type CallAnswer, type CallRequest, elicited, progressed, sendCall } from './send-call.ts'
import { ServerCalls } from './server-calls.ts'
import { type Listed, type ListedTool, ToolList } from './tool-list.ts'

/** Between a loss and the next try, in milliseconds. It doubles with each further loss, until the server answers. */
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 30_000
/** P6: a server that is not used for this long is stopped, until its next use. */
const IDLE_MS = 5 * 60_000

export interface ConnectionOptions extends ExpandedServer {
  readonly name: string
  readonly deps: Pick<ClientDeps, 'directory' | 'actor' | 'environment' | 'version' | 'noteCommand'>
  /** Default: a second. */
  readonly firstWaitMs?: number
  /** Default: five minutes. */
  readonly idleMs?: number
}

interface Live extends OpenClient {
  readonly list: ToolList
  /** The calls under way, oldest first. */
  readonly calls: Set<LiveCall>
  isLost: boolean
}

export class ServerConnection {
  readonly #options: ConnectionOptions
  readonly calls: ServerCalls = new ServerCalls(this)
  #live: Live | null = null
  #connecting: Promise<Live> | null = null
  #failures = 0
  #retryAt = 0
  #lastTrouble = ''
  #version = 0
  #known = ''
  #isClosed = false
  #uses = 0
  #idleTimer: NodeJS.Timeout | null = null

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  get name(): string {
    return this.#options.name
  }

  get timeoutMs(): number {
    return this.#options.server.timeout_seconds * 1000
  }

  /** Grows with each change of the known tools. */
  get version(): number {
    return this.#version
  }

  /** The tools that the server offers now. @throws RefusedError `mcp_server_unavailable` */
  async tools(): Promise<Listed & { readonly version: number }> {
    using _ = this.#inUse()
    try {
      const live = await this.#upToDate()
      return { ...live.list.listed, version: this.#version }
    } catch (thrown) {
      const { name } = this.#options
      throw toolRefusals.mcpServerUnavailable(name, this.safeText(messageOf(thrown)))
    }
  }

  async request(request: CallRequest, call: LiveCall): Promise<CallAnswer> {
    using _ = this.#inUse()
    const live = await this.#readyFor(request.tool, call.signal)
    try {
      return await this.#sent(live, request, call)
    } catch (thrown) {
      if (call.signal.aborted || (await this.#forgetSession(live, thrown)) !== 'unmade')
        throw await this.#whyFailed(live, thrown, call)
    }
    // Nothing ran, since the server did not know the session: the call is made in a new one, and once only.
    const anew = await this.#readyFor(request.tool, call.signal)
    return this.#sent(anew, request, call).catch(async thrown => {
      throw await this.#whyFailed(anew, thrown, call)
    })
  }

  async #sent(live: Live, request: CallRequest, call: LiveCall): Promise<CallAnswer> {
    const answer = await sendCall(live, request, call)
    this.#failures = 0
    return answer
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#idleTimer) clearTimeout(this.#idleTimer)
    await this.#connecting?.catch(() => {})
    await this.#stop()
  }

  /** Stops the server on purpose: this is no loss, so there is no backoff. */
  async #stop(): Promise<void> {
    const live = this.#live
    if (!live) return
    this.#live = null
    live.isLost = true
    await live.client.close().catch(() => {})
  }

  /** Counts one use, until it is disposed of. If no use is left for a while, the server is stopped. */
  #inUse(): Disposable {
    this.#uses += 1
    if (this.#idleTimer) clearTimeout(this.#idleTimer)
    return {
      [Symbol.dispose]: () => {
        this.#uses -= 1
        if (this.#uses > 0 || this.#isClosed) return
        this.#idleTimer = setTimeout(() => void this.#stop(), this.#options.idleMs ?? IDLE_MS).unref()
      },
    }
  }

  /** Blacks out the secrets that the server was given. */
  safeText(text: string): string {
    return withoutSecrets(text, this.#options.secrets)
  }

  /** Connects, and makes sure that the tool is as the run knows it. If it throws, nothing was run. */
  async #readyFor(tool: ListedTool, signal: AbortSignal): Promise<Live> {
    try {
      const live = await orAborted(this.#upToDate(), signal)
      if (live.list.has(tool)) return live
    } catch (thrown) {
      if (signal.aborted)
        throw new ToolError('TOOL_CALL_NOT_BEGUN', 'The call was stopped before it began. It had no effect.')
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

  /** With the list of tools as it is now. A session that the server does not know any more is begun anew. */
  async #upToDate(): Promise<Live> {
    const live = await this.#connected()
    try {
      await live.list.renew()
      return live
    } catch (thrown) {
      if ((await this.#forgetSession(live, thrown)) === null) throw thrown
    }
    const anew = await this.#connected()
    await anew.list.renew()
    return anew
  }

  /** Gives a session up that its server lost, so that the next use begins another; at once, since the server answers. */
  async #forgetSession(live: Live, thrown: unknown): ReturnType<typeof lostSession> {
    const loss = await lostSession(thrown, live.client.transport)
    if (loss === null || live.isLost) return loss
    live.isLost = true
    if (this.#live === live) this.#live = null
    await live.client.close().catch(() => {})
    return loss
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
    // A client that was given up may close long after the next one was opened.
    let own: Live | null = null
    try {
      const { server, deps } = this.#options
      const open = await openClient(server, {
        ...deps,
        onListChanged: () => own && void own.list.heedChange(),
        onElicit: params => elicited(own?.calls ?? [], params),
        onProgress: progress => progressed(own?.calls ?? [], progress),
        onClose: () => own && this.#lose(own),
      })
      own = { ...open, list: new ToolList(open.client, tools => this.#know(tools)), calls: new Set(), isLost: false }
      await own.list.renew()
      if (own.isLost) throw new Error(`it ended at once. ${own.describe()}`)
      this.#live = own
      return own
    } catch (thrown) {
      await own?.client.close().catch(() => {})
      this.#setBack(messageOf(thrown))
      throw thrown
    }
  }

  #know(tools: readonly ListedTool[]): void {
    const known = canonicalJson(tools.map(tool => ({ ...tool })))
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

  async #whyFailed(live: Live, thrown: unknown, { isStopped }: LiveCall): Promise<ToolError> {
    const { name, server } = this.#options
    const end = isStopped ? 'stopped' : await endOf(thrown, live.isLost)
    const message = this.safeText(messageOf(thrown))
    if (end !== 'lost') return failedCall(end, { name, message, seconds: server.timeout_seconds })
    const trouble = this.safeText(live.describe() || `${message}.`)
    this.#lose(live)
    void live.client.close().catch(() => {})
    return failedCall('lost', { name, message: trouble, seconds: 0 })
  }
}

class DownError extends Error {
  constructor(trouble: string, waitMs: number) {
    super(`it is down, and tried again in ${(waitMs / 1000).toFixed(1)} seconds at the earliest. ${trouble}`.trim())
  }
}
