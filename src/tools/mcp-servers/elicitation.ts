/** What a server asks of people, as a question that they are asked, and their answer in the words of the protocol. */
import type {
  CallToolResult,
  ElicitRequestParams,
  ElicitResult,
  InputRequiredResult,
} from '@modelcontextprotocol/client'
import type { Decision } from '../../core/hold/decision.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import type { SuspendRequest } from '../../ports/agent/suspend-request.ts'

/** The answer of nobody. */
export const DECLINED: ElicitResult = { action: 'decline' }

/** The only answer to a request to open a page. */
const OPENED = 'I have opened it'

/** `null` for what no person can be asked: an address that is none of the web, say. */
export function questionOf(server: string, params: ElicitRequestParams): SuspendRequest | null {
  const asked = params.mode === 'url' ? pageToOpen(server, params) : form(server, params)
  return asked && { kind: 'question', resumeMode: 'continue_call', ...asked }
}

type Asked = Pick<SuspendRequest, 'message' | 'choices' | 'responseSchema' | 'context' | 'risk'>

function form(server: string, params: ElicitRequestParams): Asked {
  const schema = 'requestedSchema' in params ? (params.requestedSchema as unknown as JsonObject) : { type: 'object' }
  const context = { mcp_server: server, mode: 'form' }
  return { message: `The MCP server ${server} asks: ${params.message}`, responseSchema: schema, context }
}

/** The address is shown as it is asked for: a host with letters that look like others appears in punycode. */
function pageToOpen(
  server: string,
  { message, url: written }: Extract<ElicitRequestParams, { mode: 'url' }>,
): Asked | null {
  const url = URL.canParse(written) ? new URL(written) : null
  if (!url || !/^https?:$/.test(url.protocol)) return null
  const unsafe = url.protocol === 'http:' ? ' It is not encrypted.' : ''
  return {
    message:
      `The MCP server ${server} asks you to open a page: ${message}\n\n${url.href}\n\n` +
      `It leads to ${url.host}.${unsafe} Open it only if you know that host, and expect the server to send you there.`,
    choices: [OPENED],
    context: { mcp_server: server, mode: 'url', url: url.href, host: url.host },
    risk: 'high',
  }
}

export function answerFrom({ verdict, value }: Decision): ElicitResult {
  if (verdict === 'cancel') return { action: 'cancel' }
  if (verdict !== 'respond') return DECLINED
  return isJsonObject(value) ? { action: 'accept', content: value as ElicitResult['content'] } : { action: 'accept' }
}

/**
 * A call that needs something of people first, up to where they were asked: its result is `input_required` (revision
 * 2026-07-28), or it was refused until pages are opened.
 */
export interface OpenInputs {
  readonly state: string | null
  readonly requests: Readonly<Record<string, JsonObject>>
  /** By the names of the requests. */
  readonly responses: Readonly<Record<string, JsonObject>>
  /** The name of the request that people are asked about. */
  readonly asked: string | null
  /** Set if the call was refused: it is made anew, and the answers are not sent. */
  readonly isAnew?: true
}

/** A server of an older revision refused a call until people open pages. */
export class PagesRequired {
  readonly inputs: OpenInputs

  constructor(pages: readonly JsonObject[]) {
    const requests = pages.map((params, n) => [`page_${n + 1}`, { method: 'elicitation/create', params }] as const)
    this.inputs = { state: null, requests: Object.fromEntries(requests), responses: {}, asked: null, isAnew: true }
  }
}

export type CallAnswer = CallToolResult | InputRequiredResult | PagesRequired

/** The error of a call whose server wants pages opened before it. */
const URL_ELICITATION_REQUIRED = -32_042

/** `null` for any other failure of a call. */
export function pagesRequiredBy(thrown: unknown): PagesRequired | null {
  const { code, data } = thrown as { readonly code?: unknown; readonly data?: Json }
  const given = code === URL_ELICITATION_REQUIRED && isJsonObject(data ?? null) ? (data as JsonObject) : {}
  const { elicitations: pages = null } = given
  if (!Array.isArray(pages) || pages.length === 0) return null
  const asked = pages.filter(page => isJsonObject(page) && typeof page['url'] === 'string')
  return asked.length < pages.length ? null : new PagesRequired(asked.map(page => asPage(page as JsonObject)))
}

function asPage({ url, message, elicitationId }: JsonObject): JsonObject {
  return {
    ...{ mode: 'url', url: url ?? '', message: typeof message === 'string' ? message : 'It is needed for the call.' },
    ...(elicitationId !== undefined && { elicitationId }),
  }
}

/** Kept with the hold, so that another process makes the call again with the answer. */
export function asBasis({ state, requests, responses, asked, isAnew }: OpenInputs): JsonObject {
  return { mcp_input: { state, requests, responses, asked, ...(isAnew && { isAnew }) } }
}

/** `null` if the server did not ask so. */
export function openInputsIn(basis: Json): OpenInputs | null {
  const kept = isJsonObject(basis) ? (basis['mcp_input'] ?? null) : null
  return isJsonObject(kept) ? (kept as unknown as OpenInputs) : null
}

export function withAnswer(inputs: OpenInputs, response: ElicitResult): OpenInputs {
  if (inputs.asked === null) return inputs
  const responses = { ...inputs.responses, [inputs.asked]: response as unknown as JsonObject }
  return { ...inputs, responses, asked: null }
}
