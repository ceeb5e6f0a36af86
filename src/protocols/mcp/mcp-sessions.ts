import type { Server } from '@modelcontextprotocol/server'
import { onAbort } from '../../async/on-abort.ts'
import type { Caller } from '../http/gate.ts'
import type { Problem } from '../http/problem.ts'
import type { Exchange } from '../http/route.ts'
import { jsonRpcRefusal } from './json-rpc-refusal.ts'
import { bearerOf } from './offer/client-of.ts'
import type { Sdk } from './offer/offer.ts'

export interface SessionLimits {
  /** At most so many at a time: one more takes the place of the one that was idle for longest. */
  readonly sessions: number
  /** Milliseconds without use after which a session ends. */
  readonly idleMs: number
}

interface Session {
  readonly transport: InstanceType<Sdk['WebStandardStreamableHTTPServerTransport']>
  /** The name of the caller who began it: to all others it is unknown. */
  readonly owner: string
  /** Answers that are not at their end, streams among them. */
  open: number
  usedAt: number
}

const HEADER = 'mcp-session-id'
/** How often idle ones are looked for, within their time. */
const SWEEPS = 4

/**
 * Revisions before 2026-07-28 use sessions: the handshake identifies the client, and the server asks through the
 * stream of an open call. A session holds nothing that is not also in the store: a client whose session is gone begins
 * another one, and finds its tasks.
 */
export class McpSessions {
  readonly #sdk: Sdk
  readonly #newServer: () => Server
  readonly #limits: SessionLimits
  readonly #sessions = new Map<string, Session>()
  readonly #sweeping: NodeJS.Timeout

  constructor(sdk: Sdk, newServer: () => Server, limits: SessionLimits) {
    this.#sdk = sdk
    this.#newServer = newServer
    this.#limits = limits
    this.#sweeping = setInterval(() => void this.#sweep(), limits.idleMs / SWEEPS).unref()
  }

  get size(): number {
    return this.#sessions.size
  }

  async answer(exchange: Exchange): Promise<Response> {
    const { request, body: parsedBody, caller } = exchange
    const id = request.headers.get(HEADER)
    const session = id === null ? await this.#begin(exchange) : this.#sessionOf(caller, id)
    if (session instanceof Response) return session
    session.open += 1
    session.usedAt = performance.now()
    const over = () => {
      session.open -= 1
      session.usedAt = performance.now()
    }
    try {
      return whenOver(
        request,
        await session.transport.handleRequest(request, { parsedBody, authInfo: bearerOf(caller) }),
        over,
      )
    } catch (thrown) {
      over()
      throw thrown
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping)
    await Promise.allSettled([...this.#sessions.values()].map(({ transport }) => transport.close()))
  }

  #sessionOf({ name }: Caller, id: string): Session | Response {
    const session = this.#sessions.get(id)
    return session?.owner === name ? session : jsonRpcRefusal(UNKNOWN_SESSION)
  }

  async #begin({ body, caller }: Exchange): Promise<Session | Response> {
    if (!this.#sdk.isInitializeRequest(body)) return jsonRpcRefusal(NO_SESSION)
    if (this.#sessions.size >= this.#limits.sessions && !(await this.#makeRoom())) return jsonRpcRefusal(FULL)
    const transport = new this.#sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: id => {
        this.#sessions.set(id, session)
      },
    })
    const session: Session = { transport, owner: caller.name, open: 0, usedAt: performance.now() }
    await this.#newServer().connect(transport)
    const closed = transport.onclose
    transport.onclose = () => {
      this.#sessions.delete(transport.sessionId ?? '')
      closed?.()
    }
    return session
  }

  async #sweep(): Promise<void> {
    const latest = performance.now() - this.#limits.idleMs
    await Promise.allSettled(
      this.#idle().flatMap(({ usedAt, transport }) => (usedAt < latest ? [transport.close()] : [])),
    )
  }

  async #makeRoom(): Promise<boolean> {
    const [oldest] = this.#idle()
    await oldest?.transport.close()
    return oldest !== undefined
  }

  /** The one that was idle for longest first. */
  #idle(): readonly Session[] {
    return [...this.#sessions.values()].filter(({ open }) => open === 0).toSorted((a, b) => a.usedAt - b.usedAt)
  }
}

/** Calls back once, when all of a response was read or its reader is gone. */
function whenOver({ signal }: Request, response: Response, tell: () => void): Response {
  let isOver = false
  const over = () => {
    if (!isOver) tell()
    isOver = true
  }
  if (response.body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
    over()
    return response
  }
  onAbort(signal, over)
  return new Response(response.body.pipeThrough(new TransformStream({ flush: over, cancel: over })), response)
}

const NO_SESSION: Problem = {
  status: 400,
  code: 'no_mcp_session',
  detail: 'Bad Request: begin with `initialize`, then send its Mcp-Session-Id with every request.',
}

const UNKNOWN_SESSION: Problem = {
  status: 404,
  code: 'unknown_mcp_session',
  detail: 'Session not found: it ended, or this server was started again. Begin another.',
}

const FULL: Problem = {
  status: 503,
  code: 'no_free_mcp_session',
  detail: 'All sessions of this server are in use.',
  headers: { 'retry-after': '5' },
}
