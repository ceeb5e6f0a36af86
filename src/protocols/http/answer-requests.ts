/**
 * From a request to its answer, the same for every protocol.
 * H1  The gate comes first: without a caller nothing is read, and only public routes answer.
 * H2  It never throws. A failure is reported to the host, and the caller learns only that there was one.
 * H3  A protocol writes its own problems; a path of no protocol answers `application/problem+json`.
 */
import { admit, type Caller, type Gate, objectionToSource } from './gate.ts'
import { type Match, matchRoutes } from './match-route.ts'
import { isProblem, type Problem, problemOf, problemResponse } from './problem.ts'
import { readJson } from './read-json.ts'
import type { Route } from './route.ts'

export interface AnswerOptions {
  readonly gate: Gate
  /** Aborted when the server is to end: it begins nothing more. */
  readonly stopping: AbortSignal
  readonly onError: (error: Error) => void
  /** Why a caller has to wait; `null` if there is room for one more request. Default: there always is. */
  readonly objectionToRate?: (caller: Caller) => Problem | null
}

export type AnswerRequest = (request: Request) => Promise<Response>

export function answerRequests(routes: readonly Route[], options: AnswerOptions): AnswerRequest {
  return async request => {
    const url = new URL(request.url)
    const matches = matchRoutes(routes, url.pathname)
    const refuse = matches[0]?.route.refuse ?? problemResponse
    try {
      const answer = await answered(request, { url, matches }, options)
      return isProblem(answer) ? refuse(answer) : answer
    } catch (thrown) {
      return refuse(problemOf(thrown) ?? failed(thrown, options))
    }
  }
}

function failed(thrown: unknown, { onError }: AnswerOptions): Problem {
  onError(thrown instanceof Error ? thrown : new TypeError(String(thrown)))
  return FAILED
}

interface Place {
  readonly url: URL
  readonly matches: readonly Match[]
}

async function answered(
  request: Request,
  { url, matches }: Place,
  options: AnswerOptions,
): Promise<Response | Problem> {
  const match = matches.find(({ route }) => route.methods.includes(request.method))
  if (match?.route.isPublic) return openly(request, { url, match }, options)
  const caller = await admit(request, options.gate)
  if (isProblem(caller)) return caller
  const tooFast = options.objectionToRate?.(caller)
  if (tooFast) return tooFast
  if (!match) return matches.length === 0 ? UNKNOWN_PATH : otherMethod(matches)
  if (options.stopping.aborted) return ENDING
  const { route, params } = match
  const read = await bodyOf(request, route)
  return isProblem(read) ? read : route.answer({ request, url, caller, params, body: read.json })
}

async function openly(
  request: Request,
  { url, match: { route, params } }: { readonly url: URL; readonly match: Match },
  { gate }: AnswerOptions,
): Promise<Response | Problem> {
  const caller: Caller = { name: '', role: 'viewer' }
  return objectionToSource(request, gate) ?? route.answer({ request, url, caller, params, body: undefined })
}

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
