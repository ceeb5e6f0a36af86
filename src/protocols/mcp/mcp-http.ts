import type { Server } from '@modelcontextprotocol/server'
import type { Exchange, Protocol } from '../http/route.ts'
import { jsonRpcRefusal } from './json-rpc-refusal.ts'
import { McpSessions, type SessionLimits } from './mcp-sessions.ts'
import type { Sdk } from './offer/offer.ts'

export interface McpHttpOptions {
  readonly limits: SessionLimits
  readonly onError: (error: Error) => void
}

/** The path under which a host serves it. */
export const MCP_PATH = '/mcp'
/** Arguments are ids, prompts and decisions. */
const MAX_BODY_BYTES = 4 * 1024 * 1024

/** Streamable HTTP: each request on its own since the revision of 2026-07-28, sessions before. */
export function openMcpHttp(sdk: Sdk, newServer: () => Server, { limits, onError }: McpHttpOptions): Protocol {
  const sessions = new McpSessions(sdk, newServer, limits)
  const modern = sdk.createMcpHandler(newServer, {
    legacy: 'reject',
    maxSubscriptions: limits.sessions,
    onerror: onError,
  })
  const answer = async ({ request, body }: Exchange): Promise<Response> => {
    const isOlder = await sdk.isLegacyRequest(request, body)
    return isOlder ? sessions.answer(request, body) : modern.fetch(request, { parsedBody: body })
  }
  const route = { path: MCP_PATH, methods: ['POST', 'GET', 'DELETE'], maxBodyBytes: MAX_BODY_BYTES }
  return {
    routes: [{ ...route, answer, refuse: jsonRpcRefusal }],
    close: async () => {
      await Promise.allSettled([sessions.close(), modern.close()])
    },
  }
}
