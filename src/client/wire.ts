/**
 * One request, and its answer.
 * W1  A request that changes something is sent again only if it has a key by which the server knows it (P2), or if the
 *     server did not take it up (429).
 * W2  A look is sent again, a few times, with a backoff.
 * W3  An answer is a document. A refusal is the error that the face has for it.
 */
import { type HoldpointError, messageOf } from '../core/errors.ts'
import { ACTOR_HEADER } from './reach/actor-header.ts'
import { refusePlainHttp } from './reach/refuse-plain-http.ts'
import { fetchFor, socketIn, UNIX_HOST } from './reach/unix-fetch.ts'
import { errorIn, type ProblemDocument, readProblem } from './read-problem.ts'
import { ServerError } from './server-error.ts'

/** The server, and the token that signs there. */
export interface ClientOptions {
  /** Address of `holdpoint serve`, such as `https://holds.example.com`, or `unix:PATH` for a daemon of this machine. */
  readonly url: string
  /** The token, or what finds it for each request: a page may renew it. */
  readonly token: string | (() => string | Promise<string>)
  /** A host, not this machine, to which the token may go unencrypted over `http://`. Default: none. */
  readonly plainHttpTo?: string
  /** Default: the `fetch` of the platform. */
  readonly fetch?: typeof fetch
  /** Over the socket of a daemon, with the token of its owner: the person for whom this program asks. Default: the owner. */
  readonly actor?: string
  /** How often a request is sent again that may be. Default: 3. */
  readonly retries?: number
}

export interface WireRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly path: readonly (string | number)[]
  readonly query?: object
  readonly body?: object
  /** Sent again, it is the same request again. */
  readonly key?: string
  /** The body has such keys. */
  readonly isKeyed?: true
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** A document, or why there is none. */
export type Reply<T> = { readonly document: T } | { readonly problem: ProblemDocument; readonly error: HoldpointError }

const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 30_000
const TOO_MANY = 429
/** A server that ends or starts, or the proxy before it. */
const PASSING: readonly number[] = [502, 503, 504]

export class Wire {
  readonly #options: ClientOptions
  readonly #retries: number
  readonly #fetch: typeof fetch
  readonly #base: string

  /** @throws RefusedError `unsafe_address` */
  constructor(options: ClientOptions) {
    refusePlainHttp(options.url, options.plainHttpTo)
    this.#options = options
    this.#retries = options.retries ?? 3
    this.#fetch = options.fetch ?? fetchFor(options.url)
    this.#base = socketIn(options.url) === null ? options.url.replace(/\/+$/, '') : UNIX_HOST
  }

  async get<T>(path: WireRequest['path'], query: object = {}): Promise<T> {
    return this.ask({ path, query })
  }

  /** @throws RefusedError, ServerError */
  async ask<T>(request: WireRequest): Promise<T> {
    const reply = await this.reply<T>(request)
    if ('error' in reply) throw reply.error
    return reply.document
  }

  /** @throws ServerError, and what is refused with an answer that is no problem. */
  async reply<T>(request: WireRequest): Promise<Reply<T>> {
    const response = await this.#open(request)
    if (isDocument(response)) return { document: (await this.#read(response, request)) as T }
    const problem = await readProblem(response)
    const error = errorIn(response, problem)
    if (problem === null) throw error
    return { problem, error }
  }

  /** An event stream, or no content. @throws RefusedError, ServerError, or the reason of an abort */
  async stream(request: WireRequest): Promise<Response> {
    const response = await this.#open({ ...request, headers: { accept: 'text/event-stream', ...request.headers } })
    if (response.ok) return response
    throw errorIn(response, await readProblem(response))
  }

  async #open(request: WireRequest): Promise<Response> {
    for (let tries = 0; ; tries++) {
      const response = await this.#send(request).catch(thrown => this.#failed(thrown, request, tries))
      if (response && !(tries < this.#retries && passes(response, request))) return response
      await response?.body?.cancel()
      await rest(waitAfter(response, tries), request.signal)
    }
  }

  async #send({ method = 'GET', path, query = {}, body, key, headers, signal }: WireRequest): Promise<Response> {
    const { token, actor, url } = this.#options
    const send = this.#fetch
    const bearer = typeof token === 'string' ? token : await token()
    return send(`${this.#base}/v1/${path.map(encodeURIComponent).join('/')}${search(query)}`, {
      method,
      headers: {
        authorization: `Bearer ${bearer}`,
        ...(actor !== undefined && socketIn(url) !== null && { [ACTOR_HEADER]: encodeURIComponent(actor) }),
        ...(body && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  }

  /** `null` if it may be sent again. @throws ServerError, or the reason of an abort */
  #failed(cause: unknown, request: WireRequest, tries: number): null {
    request.signal?.throwIfAborted()
    if (tries < this.#retries && isRepeatable(request)) return null
    throw this.#unanswered(cause, request)
  }

  async #read(response: Response, request: WireRequest): Promise<unknown> {
    try {
      return await response.json()
    } catch (cause) {
      throw this.#unanswered(cause, request)
    }
  }

  #unanswered(cause: unknown, { method = 'GET', key }: WireRequest): ServerError {
    const { url } = this.#options
    if (method === 'GET')
      return new ServerError('server_unreachable', `${url} cannot be reached: ${reasonOf(cause)}. Nothing was done.`, {
        hint: 'Look whether the server runs, and whether the address is right.',
        cause,
      })
    const again =
      key === undefined
        ? 'Look how it stands before you send it again.'
        : `Send it again with the id ${key}: it counts once.`
    return new ServerError(
      'no_answer',
      `${url} did not answer: ${reasonOf(cause)}. Nobody knows whether it was done.`,
      {
        ...{ hint: again, cause },
        ...(key !== undefined && { details: { key } }),
      },
    )
  }
}

function isRepeatable({ method = 'GET', key, isKeyed }: WireRequest): boolean {
  return method === 'GET' || key !== undefined || isKeyed === true
}

function isDocument({ ok, headers }: Response): boolean {
  return ok && headers.get('content-type')?.startsWith('application/json') === true
}

function passes({ status }: Response, request: WireRequest): boolean {
  return status === TOO_MANY || (PASSING.includes(status) && isRepeatable(request))
}

/** The cause of a `fetch failed` is more precise. */
function reasonOf(thrown: unknown): string {
  return messageOf((thrown as { readonly cause?: unknown } | null)?.cause ?? thrown).replace(/\.$/, '')
}

function search(query: object): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) given.set(name, String(value))
  return given.size === 0 ? '' : `?${given}`
}

/** In milliseconds: as the server asks for, or a backoff. */
export function waitAfter(response: Response | null, tries: number): number {
  const asked = Number(response?.headers.get('retry-after') ?? Number.NaN) * 1000
  const backoff = FIRST_WAIT_MS * 2 ** tries
  return Math.min(asked >= 0 ? asked : backoff, LONGEST_WAIT_MS)
}

/** Ends early with an abort. @throws the reason of the abort */
export async function rest(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  signal?.addEventListener('abort', () => resolve(), { once: true })
  await promise
  clearTimeout(timer)
  signal?.throwIfAborted()
}
