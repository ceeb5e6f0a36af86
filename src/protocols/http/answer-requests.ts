/**
 * Answers a request, in the same way for every protocol.
 * H1  The gate is first: without a caller nothing is read, and only public routes and the page answer.
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
  /** The check for routes that sign people in, per address. Default: never an objection. */
  readonly objectionToSignIn?: (request: Request, from: string) => Problem | null
  /** A page for people, which reveals nothing of the store; `null` for a request that is not for it. Default: none. */
  readonly page?: ((request: Request, url: URL) => Response | null) | null
  /** Notified how requests that write end. */
  readonly writes?: WriteHealth
  /** Streams that one caller may have open at a time. Default: 20. */
  readonly streamsPerCaller?: number
}

const STREAMS_PER_CALLER = 20

interface Deps extends AnswerOptions {
  readonly places: StreamPlaces
}

/** The other end of a connection. */
export interface Sender {
  /** The address of the sender; empty if it has none. */
  readonly from: string
  /** Why the process of the sender may only read, with any proof; `null` if it may do more. The check takes time. */
  readonly objection: () => Problem | null
}

const ANYBODY: Sender = { from: '', objection: () => null }

export type AnswerRequest = (request: Request, sender?: Sender) => Promise<Response>

export function answerRequests(routes: readonly Route[], options: AnswerOptions): AnswerRequest {
  const { gate, stopping, onError, streamsPerCaller: perCaller = STREAMS_PER_CALLER } = options
  const places = new StreamPlaces({ identify: gate.identify, stopping, onError, perCaller })
  const deps = { ...options, places }
  return async (request, sender = ANYBODY) => {
    const url = new URL(request.url)
    const matches = matchRoutes(routes, url.pathname)
    const refuse = matches[0]?.route.refuse ?? problemResponse
    const answer = await answered(request, { url, matches, sender }, deps).catch(thrown => failed(thrown, options))
    if (request.method !== 'GET') noteWrite(answer, options)
    return isProblem(answer) ? refuse(answer) : answer
  }
}

/** A problem that the store did not cause shows nothing about its writes. */
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
  readonly sender: Sender
}

async function answered(request: Request, place: Place, options: Deps): Promise<Response | Problem> {
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
  { url, matches, match, sender }: CallerPlace,
  options: Deps,
): Promise<Response | Problem> {
  const admitted = await admit(request, options.gate)
  if (isProblem(admitted)) return admitted
  const { caller, proof } = admitted
  const tooFast = options.objectionToRate?.(caller)
  if (tooFast) return tooFast
  if (!match) return matches.length === 0 ? UNKNOWN_PATH : otherMethod(matches)
  if (options.stopping.aborted) return ENDING
  const objection = objectionToSender(request, sender)
  if (objection) return objection
  const { route, params } = match
  const read = await bodyOf(request, route)
  if (isProblem(read)) return read
  const exchange = { request, url, caller, proof, params, body: read.json, place: NO_PLACE }
  return route.streams ? streamed(route, exchange, options) : route.answer(exchange)
}

async function streamed(route: Route, exchange: Exchange & Admitted, { places }: Deps): Promise<Response | Problem> {
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
  { url, match, sender }: OpenPlace,
  { gate, objectionToSignIn }: AnswerOptions,
): Promise<Response | Problem> {
  const objection = objectionToSource(request, gate)
  if (objection) return objection
  const { route, params } = match
  // Signing in gives a caller no right by itself.
  const unwelcome = route.signsIn ? objectionToSignIn?.(request, sender.from) : objectionToSender(request, sender)
  if (unwelcome) return unwelcome
  const admitted = route.isPublic === 'knows' ? await admit(request, gate) : UNKNOWN
  const known = isProblem(admitted) ? UNKNOWN : admitted
  const read = await bodyOf(request, route)
  if (isProblem(read)) return read
  return route.answer({ request, url, ...known, params, body: read.json, place: NO_PLACE })
}

interface OpenPlace extends Pick<Place, 'url' | 'sender'> {
  readonly match: Match
}

/** Methods that decide nothing. */
const LOOKS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

function objectionToSender({ method }: Request, { objection }: Sender): Problem | null {
  return LOOKS.includes(method) ? null : objection()
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
