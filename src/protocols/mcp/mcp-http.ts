import type { Server } from '@modelcontextprotocol/server'
import { type Gate, refusal, turnedAway } from './http-guard.ts'
import { McpSessions, type SessionLimits } from './mcp-sessions.ts'
import type { Sdk } from './offer/offer.ts'

export interface McpHttpOptions {
  readonly gate: Gate
  readonly limits: SessionLimits
  readonly stopping: AbortSignal
  readonly onError: (error: Error) => void
}

export interface McpHttp extends AsyncDisposable {
  /** Never throws. */
  answer(request: Request): Promise<Response>
}

/** Where it is, on whatever serves it. */
export const MCP_PATH = '/mcp'
/** Arguments are ids, prompts and decisions. */
export const MAX_BODY_BYTES: number = 4 * 1024 * 1024
const PARSE_ERROR = -32_700
const METHODS: readonly string[] = ['POST', 'GET', 'DELETE']

/** Streamable HTTP: each request on its own since the revision of 2026-07-28, sessions before. */
export function openMcpHttp(sdk: Sdk, newServer: () => Server, options: McpHttpOptions): McpHttp {
  const { gate, limits, stopping, onError } = options
  const sessions = new McpSessions(sdk, newServer, limits)
  const modern = sdk.createMcpHandler(newServer, {
    legacy: 'reject',
    maxSubscriptions: limits.sessions,
    onerror: onError,
  })
  const answer = async (request: Request): Promise<Response> => {
    const away = turnedAway(request, gate) ?? misplaced(request)
    if (away) return away
    if (stopping.aborted) return refusal(503, 'This server is ending.', { connection: 'close' })
    const body = await bodyOf(sdk, request)
    if (body instanceof Response) return body
    const { parsedBody } = body
    const isOlder = await sdk.isLegacyRequest(request, parsedBody)
    return isOlder ? sessions.answer(request, parsedBody) : modern.fetch(request, { parsedBody })
  }
  return {
    answer: async request => {
      try {
        return await answer(request)
      } catch (thrown) {
        onError(thrown instanceof Error ? thrown : new TypeError(String(thrown)))
        return refusal(500, 'This server failed; its log tells more.')
      }
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.allSettled([sessions.close(), modern.close()])
    },
  }
}

function misplaced({ method, url }: Request): Response | null {
  if (new URL(url).pathname !== MCP_PATH) return refusal(404, `There is nothing here: MCP is at ${MCP_PATH}.`)
  return METHODS.includes(method) ? null : refusal(405, 'Method not allowed.', { allow: METHODS.join(', ') })
}

/** Read once, for whichever revision it turns out to be. */
async function bodyOf(sdk: Sdk, request: Request): Promise<{ parsedBody: unknown } | Response> {
  if (request.method !== 'POST') return { parsedBody: undefined }
  if (!sdk.isJsonContentType(request.headers.get('content-type')))
    return refusal(415, 'Unsupported Media Type: Content-Type must be application/json.')
  const read = await sdk.readRequestBody(request, MAX_BODY_BYTES)
  if (read.tooLarge) return refusal(413, `The body is larger than ${MAX_BODY_BYTES} bytes.`, { connection: 'close' })
  try {
    return { parsedBody: JSON.parse(read.text) as unknown }
  } catch {
    return refusal(400, 'Parse error: the body is not JSON.', {}, PARSE_ERROR)
  }
}
