import { ModelError, messageOf } from '../core/errors.ts'
import { isUnsupported } from './refusals/read-refusal.ts'

/** Which model was asked: what a message may name, and the key that it must not. */
export interface ModelAccess {
  readonly id: string
  readonly apiKey: string | undefined
  /** The variables that key and address came from; `null` if the agent's definition brings the model. */
  readonly keyVariable: string | null
  readonly urlVariable: string | null
}

interface Failure {
  readonly retryable: boolean
  readonly what: string
  hint(asked: ModelAccess): string | null
}

const retrying = (): string => 'This is for the provider to mend; ask again later.'
const DEFINITION = "the model in the agent's definition"
const address = ({ urlVariable }: ModelAccess): string => (urlVariable ? `${urlVariable} where it is set` : DEFINITION)
const network = (asked: ModelAccess): string => `Check the network, and ${address(asked)}.`

const FAILURES = {
  model_unreachable: { retryable: true, what: 'cannot be reached', hint: network },
  rate_limited: {
    retryable: true,
    what: 'takes no more requests for now',
    hint: () => 'Wait, or raise the limit or the budget of the account.',
  },
  model_overloaded: { retryable: true, what: 'is not being served right now', hint: retrying },
  model_timeout: {
    retryable: true,
    what: 'did not answer in time',
    hint: () => 'Ask again, or allow more time with HOLDPOINT_MODEL_TIMEOUT_MS.',
  },
  model_auth: {
    retryable: false,
    what: 'did not accept the API key',
    hint: ({ keyVariable }) => `Check ${keyVariable ?? DEFINITION}.`,
  },
  model_not_found: {
    retryable: false,
    what: 'is not known to its provider',
    hint: asked => `Check the name of the model, and ${address(asked)}.`,
  },
  model_rejected: { retryable: false, what: 'refused the request', hint: () => null },
  stream_cut: { retryable: true, what: 'broke off its answer', hint: () => 'Nothing of it was kept; ask again.' },
  model_error: { retryable: false, what: 'could not answer', hint: () => null },
} satisfies Record<string, Failure>
type FailureCode = keyof typeof FAILURES

const STATUSES: Readonly<Record<number, FailureCode>> = {
  401: 'model_auth',
  403: 'model_auth',
  404: 'model_not_found',
  408: 'model_timeout',
  429: 'rate_limited',
}

/** Network failures by the code that Node gives them. */
const NETWORK: Readonly<Record<string, FailureCode>> = {
  ECONNRESET: 'stream_cut',
  EPIPE: 'stream_cut',
  UND_ERR_SOCKET: 'stream_cut',
  UND_ERR_HEADERS_TIMEOUT: 'model_timeout',
  UND_ERR_BODY_TIMEOUT: 'model_timeout',
}

/** The AI SDK's account of a failure; everything may be missing. */
interface Told {
  readonly message?: unknown
  readonly statusCode?: unknown
  readonly code?: unknown
  readonly isRetryable?: unknown
  readonly responseHeaders?: Readonly<Record<string, string>> | undefined
  readonly responseBody?: unknown
  /** The body, if it has the shape that the provider documents. */
  readonly data?: unknown
  readonly cause?: unknown
}

interface Circumstances {
  /** True if the provider itself reports that a retry is no use. */
  readonly final?: boolean
  readonly retryAfterMs?: number | null
  readonly cause?: unknown
}

export function modelFailure(
  code: FailureCode,
  asked: ModelAccess,
  detail: string | null,
  { final = false, retryAfterMs = null, cause }: Circumstances = {},
): ModelError {
  const { retryable, what, hint } = FAILURES[code]
  return new ModelError(code, `${asked.id} ${what}${detail ? `: ${detail}` : ''}.`, {
    retryable: retryable && !final,
    hint: hint(asked),
    retryAfterMs,
    cause,
  })
}

/** Anything that a provider's package threw; `streaming` once the answer had begun. */
export function failureOf(thrown: unknown, asked: ModelAccess, streaming: boolean): ModelError {
  const told: Told = typeof thrown === 'object' && thrown !== null ? thrown : { message: String(thrown) }
  const status = statusOf(told)
  const detail = detailOf(told, status, asked)
  if (status === null) {
    return modelFailure(codeWithoutStatus(told, streaming), asked, detail, { cause: causeOf(thrown, told, asked) })
  }
  return modelFailure(codeOfStatus(status, detail), asked, detail, {
    final: told.isRetryable === false,
    retryAfterMs: retryAfterMs(told.responseHeaders ?? {}),
  })
}

function statusOf({ statusCode, code }: Told): number | null {
  const status = [statusCode, code].find(value => typeof value === 'number' && value >= 400 && value <= 599)
  return typeof status === 'number' ? status : null
}

function codeOfStatus(status: number, detail: string): FailureCode {
  if (status >= 500) return 'model_overloaded'
  // Google answers 400 to a wrong key.
  if (status === 400 && /api key not valid/i.test(detail)) return 'model_auth'
  // OpenAI answers 404 to an item that it did not keep.
  if (status === 404 && /\bitem with id\b/i.test(detail)) return 'model_rejected'
  return STATUSES[status] ?? 'model_rejected'
}

function codeWithoutStatus(told: Told, streaming: boolean): FailureCode {
  if (isUnsupported(told)) return 'model_rejected'
  const network = networkCode(told)
  if (streaming || told.statusCode !== undefined) return NETWORK[network ?? ''] ?? 'stream_cut'
  if (network) return NETWORK[network] ?? 'model_unreachable'
  return told.isRetryable === true ? 'model_unreachable' : 'model_error'
}

function networkCode({ cause }: Told, depth = 3): string | null {
  if (typeof cause !== 'object' || cause === null || depth === 0) return null
  const { code } = cause as Told
  return typeof code === 'string' ? code : networkCode(cause, depth - 1)
}

const LONGEST_DETAIL = 1000

function detailOf(told: Told, status: number | null, asked: ModelAccess): string {
  const parts = [status === null ? '' : `HTTP ${status}`, wordsOf(told), bodyOf(told)]
  const detail = withoutKey(parts.filter(Boolean).join(', '), asked).replace(/\s+/g, ' ')
  return detail.length > LONGEST_DETAIL ? `${detail.slice(0, LONGEST_DETAIL)}…` : detail
}

function wordsOf(told: Told): string {
  const message = typeof told.message === 'string' ? told.message : ''
  const words = message
    .replace(/^Cannot connect to API:/, '')
    .trim()
    .replace(/\.$/, '')
  return words || networkCode(told) || ''
}

/** Servers that only resemble a provider say what is wrong in shapes of their own. */
function bodyOf({ data, responseBody }: Told): string {
  const body = typeof responseBody === 'string' && data === undefined ? responseBody.trim() : ''
  return body.startsWith('<') ? '' : body
}

/** A provider's own error holds the whole request and may repeat the key, so only what lies under it is kept. */
function causeOf(thrown: unknown, told: Told, asked: ModelAccess): unknown {
  const cause = told.statusCode === undefined && told.isRetryable === undefined ? thrown : told.cause
  return withoutKey(messageOf(cause), asked) === messageOf(cause) ? cause : undefined
}

const SHORTEST_KEY = 8

function withoutKey(text: string, { apiKey }: ModelAccess): string {
  return apiKey !== undefined && apiKey.length >= SHORTEST_KEY ? text.replaceAll(apiKey, '***') : text
}

function retryAfterMs(headers: Readonly<Record<string, string>>): number | null {
  const ms = Number.parseFloat(headers['retry-after-ms'] ?? '')
  if (Number.isFinite(ms)) return Math.max(0, ms)
  const after = headers['retry-after'] ?? ''
  const wait = /^\s*[\d.]+\s*$/.test(after) ? Number.parseFloat(after) * 1000 : Date.parse(after) - Date.now()
  return Number.isFinite(wait) ? Math.max(0, wait) : null
}
