import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type AnswerRequest, answerRequests } from '../../../src/protocols/http/answer-requests.ts'
import type { Gate } from '../../../src/protocols/http/gate.ts'
import { oneToken } from '../../../src/protocols/http/one-token.ts'
import { openMcpHttp } from '../../../src/protocols/mcp/mcp-http.ts'
import { mcpServers } from '../../../src/protocols/mcp/mcp-server.ts'
import type { SessionLimits } from '../../../src/protocols/mcp/mcp-sessions.ts'
import type { Offer } from '../../../src/protocols/mcp/offer/offer.ts'
import * as sdk from '../../../src/protocols/mcp/offer/sdk.ts'

export const TOKEN = 'a-token-that-only-tests-know'
export const URL_OF_TESTS = 'http://127.0.0.1:4653/mcp'
export const LATEST = '2026-07-28'

export interface McpHttp extends AsyncDisposable {
  readonly answer: AnswerRequest
}

/** How a client finds out which revision is spoken: the newest, or a handshake as it was before. */
export const ERAS: Readonly<Record<'latest' | 'older', ClientOptions>> = {
  latest: { versionNegotiation: { mode: { pin: LATEST } } },
  older: {},
}
export type Era = keyof typeof ERAS

/** The layer without a network: what a client sends is answered in this process. */
export function inProcess(offer: Offer, limits: SessionLimits = { sessions: 8, idleMs: 60_000 }): McpHttp {
  const { stopping, onError } = offer
  const protocol = openMcpHttp(async () => ({ sdk, newServer: mcpServers(sdk, offer) }), { limits, onError })
  const gate: Gate = { hosts: [], anyAddress: false, identify: oneToken(TOKEN, { name: 'tester', role: 'admin' }) }
  return {
    answer: answerRequests(protocol.routes, { gate, stopping, onError }),
    [Symbol.asyncDispose]: async () => protocol.close?.(),
  }
}

export async function connected(
  http: McpHttp,
  era: Era,
  options: ClientOptions = {},
  name = 'tester',
): Promise<Client> {
  const client = new Client({ name, version: '1' }, { ...ERAS[era], ...options })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(URL_OF_TESTS), {
      fetch: (url, init) => http.answer(requestTo(url, init)),
      requestInit: { headers: { authorization: `Bearer ${TOKEN}` } },
    }),
  )
  return client
}

/** As a server gets it, which knows the Host. */
export function requestTo(url: string | URL, init?: RequestInit): Request {
  const request = new Request(url, init)
  request.headers.set('host', new URL(url).host)
  return request
}

/** The JSON that a tool answered in its text. */
// biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
export function textOf(result: { readonly content?: unknown }): any {
  const [first] = (result.content ?? []) as readonly { text: string }[]
  return JSON.parse(first?.text ?? 'null')
}
