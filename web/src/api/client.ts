/**
 * Requests to the server that served the page.
 * C1  An answer is a document. A refusal is thrown in the words of the server; no answer at all is another error.
 * C2  A request that changes something has a key, or is never sent again by itself.
 */
import { noteServerTime } from './clock.ts'
import { awaitReach, isReachable, isSignedIn } from './connection.ts'
import { NoAnswerError, type ProblemDocument, ProblemError } from './problem.ts'

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>

interface Sent {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** The browser asks with the ETag that it has, and gives the document that it kept for a 304. */
export function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return send<T>(path + search(query), { ...(signal && { signal }) })
}

/** `key` makes of a second try the same request. */
export function post<T>(path: string, body: object, key?: string): Promise<T> {
  return send<T>(path, { method: 'POST', body, ...(key !== undefined && { headers: { 'idempotency-key': key } }) })
}

/** Some answers have no body: then it is `null`. */
export function remove<T>(path: string): Promise<T> {
  return send<T>(path, { method: 'DELETE' })
}

/** @throws ProblemError, NoAnswerError, or the reason of an abort */
async function send<T>(path: string, request: Sent): Promise<T> {
  const response = await open(path, request)
  const text = await response.text().catch(cause => unanswered(cause, request.signal))
  return (text === '' ? null : JSON.parse(text)) as T
}

/** @throws as `send` */
export async function open(path: string, { method = 'GET', body, headers, signal }: Sent): Promise<Response> {
  const noteReach = awaitReach()
  const response = await fetch(path, {
    method,
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch(cause => unanswered(cause, signal))
  noteServerTime(response)
  noteReach(!GATEWAY_TROUBLE.includes(response.status))
  if (response.ok) return response
  if (response.status === UNAUTHORIZED) isSignedIn.set(false)
  throw await refusal(response)
}

const UNAUTHORIZED = 401
/** Answers of a proxy whose server is gone. */
const GATEWAY_TROUBLE: readonly number[] = [502, 504]

function unanswered(cause: unknown, signal: AbortSignal | undefined): never {
  signal?.throwIfAborted()
  isReachable.set(false)
  throw new NoAnswerError(cause)
}

async function refusal(response: Response): Promise<ProblemError | NoAnswerError> {
  if (GATEWAY_TROUBLE.includes(response.status)) return new NoAnswerError(response.status)
  const document: unknown = await response.json().catch(() => null)
  return new ProblemError(isProblem(document) ? document : plainProblem(response))
}

function isProblem(document: unknown): document is ProblemDocument {
  return typeof document === 'object' && document !== null && 'code' in document && 'detail' in document
}

function plainProblem({ status, statusText }: Response): ProblemDocument {
  return { status, code: 'unexpected_answer', detail: `The server answered ${status} ${statusText}.` }
}

function search(query: Query): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '') given.set(name, String(value))
  return given.size === 0 ? '' : `?${given}`
}
