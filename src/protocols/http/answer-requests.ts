/**
 * From a request to its answer, the same for every protocol.
 * H1  The gate comes first: without a caller nothing is read, and only public routes and the page answer.
 * H2  It never throws. A failure is reported to the host, and the caller learns only that there was one.
 * H3  A protocol writes its own problems; a path of no protocol answers `application/problem+json`.
 */
import { RefusedError } from '../../core/errors.ts'
import { type Admitted, admit, type Caller, type Gate, objectionToSource } from './gate.ts'
import { type Match, matchRoutes } from './match-route.ts'
import { isProblem, type Problem, problemResponse } from './problem.ts'
import { readJson } from './read-json.ts'
import { refusalProblem, storeProblem, type WriteHealth } from './refusal-problem.ts'
import type { Exchange, Route } from './route.ts'
import { NO_PLACE, StreamPlaces } from './stream-places.ts'

export interface AnswerOptions {
  readonly gate: Gate
  /** Aborted when the server is to end: it begins nothing more. */
  readonly stopping: AbortSignal
  readonly onError: (error: Error) => void
  /** Why a caller has to wait; `null` if there is room for one more request. Default: there always is. */
  readonly objectionToRate?: (caller: Caller) => Problem | null
  /** The same of an address that asks to be signed in, for routes that sign people in. Default: there always is room. */
  readonly objectionToSignIn?: (request: Request, from: string) => Problem | null
  /** A page for people, which tells nothing of what the store holds; `null` for a request that is not for it. Default: none. */
  readonly page?: ((request: Request, url: URL) => Response | null) | null
  /** Told how requests that write end. */
  readonly writes?: WriteHealth
  /** Streams that one caller may have open at a time. Default: 20. */
  readonly streamsPerCaller?: number
}

const STREAMS_PER_CALLER = 20

interface Site extends AnswerOptions {
  readonly places: StreamPlaces
}

/** `from` is the address that the request came from; empty if it has none. */
export type AnswerRequest = (request: Request, from?: string) => Promise<Response>

export function answerRequests(routes: readonly Route[], options: AnswerOptions): AnswerRequest {
  const { gate, stopping, onError, streamsPerCaller: perCaller = STREAMS_PER_CALLER } = options
  const places = new StreamPlaces({ identify: gate.identify, stopping, onError, perCaller })
  const site = { ...options, places }
  return async (request, from = '') => {
    const url = new URL(request.url)
    const matches = matchRoutes(routes, url.pathname)
    const refuse = matches[0]?.route.refuse ?? problemResponse
    const answer = await answered(request, { url, matches, from }, site).catch(thrown => failed(thrown, options))
    if (request.method !== 'GET') noteWrite(answer, options)
    return isProblem(answer) ? refuse(answer) : answer
  }
}

/** A problem that the store is not the cause of says nothing of its writes. */
function noteWrite(answer: Response | Problem, { writes }: AnswerOptions): void {
  if (isProblem(answer)) {
    if (answer.code.startsWith('store_') && answer.status >= 500) writes?.note(answer.code)
  } else if (answer.ok) writes?.note(null)
}

function failed(thrown: unknown, { onError }: AnswerOptions): Problem {
  if (thrown instanceof RefusedError) return refusalProblem(thrown)
  onError(thrown instanceof Error ? thrown : new TypeError(String(thrown)))
  return storeProblem(thrown) ?? FAILED
}

interface Place {
  readonly url: URL
  readonly matches: readonly Match[]
  readonly from: string
}

async function answered(request: Request, place: Place, options: Site): Promise<Response | Problem> {
  const { url, matches } = place
  const match = matches.find(({ route }) => route.methods.includes(request.method))
  if (match?.route.isPublic) return openly(request, { ...place, match }, options)
  const page = matches.length === 0 ? pageFor(request, url, options) : null
  return page ?? forCaller(request, { ...place, match }, options)
}

function pageFor(request: Request, url: URL, { gate, page }: AnswerOptions): Response | null {
  return page && objectionToSource(request, gate) === null ? page(request, url) : null
}

interface CallerPlace extends Place {
  readonly match: Match | undefined
}

async function forCaller(
  request: Request,
  { url, matches, match }: CallerPlace,
  options: Site,
): Promise<Response | Problem> {
  const admitted = await admit(request, options.gate)
  if (isProblem(admitted)) return admitted
  const { caller, proof } = admitted
  const tooFast = options.objectionToRate?.(caller)
  if (tooFast) return tooFast
  if (!match) return matches.length === 0 ? UNKNOWN_PATH : otherMethod(matches)
  if (options.stopping.aborted) return ENDING
  const { route, params } = match
  const read = await bodyOf(request, route)
  if (isProblem(read)) return read
  const exchange = { request, url, caller, proof, params, body: read.json, place: NO_PLACE }
  return route.streams ? streamed(route, exchange, options) : route.answer(exchange)
}

async function streamed(route: Route, exchange: Exchange & Admitted, { places }: Site): Promise<Response | Problem> {
  const place = places.take(exchange, route.streams === true)
  if (isProblem(place)) return place
  using taken = new DisposableStack()
  taken.use(place)
  const response = await route.answer({ ...exchange, place })
  // A stream gives its place back itself.
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) taken.move()
  return response
}

async function openly(
  request: Request,
  { url, match, from }: OpenPlace,
  { gate, objectionToSignIn }: AnswerOptions,
): Promise<Response | Problem> {
  const objection = objectionToSource(request, gate)
  if (objection) return objection
  const { route, params } = match
  const tooMany = route.signsIn ? objectionToSignIn?.(request, from) : null
  if (tooMany) return tooMany
  const admitted = route.isPublic === 'knows' ? await admit(request, gate) : UNKNOWN
  const known = isProblem(admitted) ? UNKNOWN : admitted
  const read = await bodyOf(request, route)
  if (isProblem(read)) return read
  return route.answer({ request, url, ...known, params, body: read.json, place: NO_PLACE })
}

interface OpenPlace extends Pick<Place, 'url' | 'from'> {
  readonly match: Match
}

const UNKNOWN: { readonly caller: Caller; readonly proof: null } = { caller: { name: '', role: 'viewer' }, proof: null }

async function bodyOf(request: Request, { maxBodyBytes }: Route): Promise<{ readonly json: unknown } | Problem> {
  const hasBody = maxBodyBytes !== undefined && WITH_BODY.includes(request.method)
  return hasBody ? readJson(request, maxBodyBytes) : { json: undefined }
}

const WITH_BODY: readonly string[] = ['POST', 'PUT', 'PATCH']

const UNKNOWN_PATH: Problem = { status: 404, code: 'unknown_path', detail: 'There is nothing here.' }
const FAILED: Problem = { status: 500, code: 'server_failed', detail: 'This server failed; its log tells more.' }
const ENDING: Problem = {
  status: 503,
  code: 'server_ending',
  detail: 'This server is ending.',
  headers: { connection: 'close' },
}

function otherMethod(matches: readonly Match[]): Problem {
  const allow = [...new Set(matches.flatMap(({ route }) => route.methods))].join(', ')
  return { status: 405, code: 'method_not_allowed', detail: 'Method not allowed.', headers: { allow } }
}
