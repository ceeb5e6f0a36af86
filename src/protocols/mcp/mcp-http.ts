import { onAbort } from '../../async/on-abort.ts'
import type { Problem } from '../http/problem.ts'
import type { Exchange, Protocol, RouteOperation } from '../http/route.ts'
import { jsonRpcRefusal, REFUSED } from './json-rpc-refusal.ts'
import type { NewServer } from './mcp-server.ts'
import { McpSessions, type SessionLimits } from './mcp-sessions.ts'
import { bearerOf } from './offer/client-of.ts'
import type { Sdk } from './offer/offer.ts'

export interface McpHttpOptions {
  readonly limits: SessionLimits
  readonly onError: (error: Error) => void
}

/** The code that a server is made of. */
export interface McpLayer {
  readonly sdk: Sdk
  readonly newServer: NewServer
}

/** The path under which a host serves it. */
export const MCP_PATH = '/mcp'
/** Arguments are ids, prompts and decisions. */
const MAX_BODY_BYTES = 4 * 1024 * 1024

/**
 * Streamable HTTP: each request on its own since the revision of 2026-07-28, sessions before. The layer is loaded at
 * the first request, so a server without MCP requests does without it.
 */
export function openMcpHttp(load: () => Promise<McpLayer>, options: McpHttpOptions): Protocol {
  let opening: Promise<Opened> | null = null
  const opened = () => {
    opening ??= load().then(layer => open(layer, options))
    return opening
  }
  const route = { path: MCP_PATH, methods: ['POST', 'GET', 'DELETE'], maxBodyBytes: MAX_BODY_BYTES }
  return {
    routes: [
      {
        ...route,
        operations: { POST: MESSAGE, GET: LISTEN, DELETE: END },
        // Sessions and subscriptions have limits of their own.
        streams: 'uncounted',
        answer: async exchange => {
          const { answer } = await opened()
          return withinToken(exchange, answer)
        },
        refuse: jsonRpcRefusal,
      },
    ],
    close: async () => (await opening)?.close(),
  }
}

const SPEC = 'The Model Context Protocol, streamable HTTP. A tool says which role it takes.'
const REFUSAL_FORM = { description: SPEC, refusalType: 'application/json' } as const

const MESSAGE: RouteOperation = {
  summary: 'A message of MCP, of the revision of 2026-07-28 or an older one',
  body: {
    type: 'object',
    properties: {
      jsonrpc: { const: '2.0' },
      id: { type: ['string', 'integer'] },
      method: { type: 'string' },
      params: { type: 'object' },
    },
    required: ['jsonrpc'],
  },
  answers: {
    200: { text: 'The answer, as JSON or as a stream, as the client accepts it.', type: 'text/event-stream' },
    202: { text: 'A notification was taken.' },
  },
  ...REFUSAL_FORM,
}

const LISTEN: RouteOperation = {
  summary: 'What the server sends in a session of an older revision',
  answers: { 200: { text: 'Messages of MCP.', type: 'text/event-stream' } },
  ...REFUSAL_FORM,
}

const END: RouteOperation = {
  summary: 'Ends a session of an older revision',
  answers: { 200: { text: 'It is over.' } },
  ...REFUSAL_FORM,
}

interface Opened {
  answer(exchange: Exchange): Promise<Response>
  close(): Promise<void>
}

/**
 * A message that is no MCP is the fault of its client, who gets an error: clients must not fill the log of a server.
 */
const REJECTED = 'Rejected inbound request'

function open({ sdk, newServer }: McpLayer, { limits, onError }: McpHttpOptions): Opened {
  const sessions = new McpSessions(sdk, () => newServer('legacy'), limits)
  const modern = sdk.createMcpHandler(() => newServer('modern'), {
    legacy: 'reject',
    maxSubscriptions: limits.sessions,
    onerror: error => {
      if (!error.message.startsWith(REJECTED)) onError(error)
    },
  })
  return {
    answer: async exchange => {
      const { request, body, caller } = exchange
      const isOlder = await sdk.isLegacyRequest(request, body)
      if (isOlder) return sessions.answer(exchange)
      return modern.fetch(request, { parsedBody: body, authInfo: bearerOf(caller) })
    },
    close: async () => {
      await Promise.allSettled([sessions.close(), modern.close()])
    },
  }
}

/**
 * Ends a call that waits, and a stream, with the token of its caller. The end of the server is no such end: then calls are
 * still answered.
 */
async function withinToken(exchange: Exchange, answer: (exchange: Exchange) => Promise<Response>): Promise<Response> {
  const { request, place } = exchange
  const over = new AbortController()
  const watch = onAbort(place.signal, () => place.signal.reason === 'token_ended' && over.abort())
  const { url, method, headers } = request
  const signal = AbortSignal.any([request.signal, over.signal])
  const answered = answer({ ...exchange, request: new Request(url, { method, headers, signal }) })
  const response = await Promise.race([answered, refusedAt(over.signal)])
  if (response.body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  const end = () => {
    watch[Symbol.dispose]()
    place[Symbol.dispose]()
  }
  const cut = new TransformStream({
    start: controller => {
      onAbort(over.signal, () => {
        controller.enqueue(new TextEncoder().encode(lastWords(exchange)))
        controller.terminate()
      })
    },
    flush: end,
    cancel: end,
  })
  return new Response(response.body.pipeThrough(cut), response)
}

/** Clients of sessions take the end of a stream alone for a pause. */
function lastWords({ body }: Exchange): string {
  const { id } = (body ?? {}) as { readonly id?: unknown }
  if (id === undefined) return ''
  const error = { code: REFUSED, message: TOKEN_ENDED.detail }
  return `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`
}

function refusedAt(signal: AbortSignal): Promise<Response> {
  return new Promise(resolve => onAbort(signal, () => resolve(jsonRpcRefusal(TOKEN_ENDED))))
}

const TOKEN_ENDED: Problem = {
  status: 401,
  code: 'invalid_token',
  detail: 'That token counts no more.',
  headers: { 'www-authenticate': 'Bearer realm="holdpoint", error="invalid_token"' },
}
