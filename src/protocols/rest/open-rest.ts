/**
 * The REST routes, as a server answers them: role, `Accept`, query and body are checked before a handler runs, so bad
 * input changes nothing.
 */
import { createHash } from 'node:crypto'
import { RefusedError } from '../../core/errors.ts'
import { includesRole } from '../../core/people/role.ts'
import { isProblem, type Problem, problemResponse } from '../http/problem.ts'
import { refusalProblem } from '../http/refusal-problem.ts'
import type { Exchange, Protocol, Route } from '../http/route.ts'
import { readBody, readKey, readQuery } from './read-asked.ts'
import { type Asked, type RestRoute, type RestSite, surfaceOf } from './route/rest-route.ts'
import { REST_ROUTES } from './routes/rest-routes.ts'

/** A decision may bring the arguments of a call; a message may bring an image. */
const MAX_BODY_BYTES = 1024 * 1024

export function openRest(site: RestSite): Protocol {
  return { routes: REST_ROUTES.map(route => served(route, site)) }
}

function served(route: RestRoute, site: RestSite): Route {
  const { method, path, role, body } = route
  return {
    methods: method === 'GET' && route.type === undefined ? ['GET', 'HEAD'] : [method],
    path,
    ...(body && { maxBodyBytes: MAX_BODY_BYTES }),
    ...(role === null && { isPublic: route.knowsCaller ? 'knows' : true }),
    ...(route.signsIn && { signsIn: true }),
    ...(route.type === 'text/event-stream' && { streams: true }),
    answer: async exchange => {
      const asked = await readAsked(route, exchange, site)
      return isProblem(asked) ? problemResponse(asked) : answered(route, asked, site)
    },
  }
}

async function answered(route: RestRoute, asked: Asked, site: RestSite): Promise<Response> {
  try {
    const answer = await route.answer(asked, site)
    const response = answer instanceof Response ? answer : Response.json(answer, { status: successOf(route) })
    return route.method === 'GET' && route.type === undefined ? await withETag(asked.request, response) : response
  } catch (thrown) {
    if (!(thrown instanceof RefusedError)) throw thrown
    const problem = refusalProblem(thrown)
    return problemResponse(isOfPath(route, thrown) ? { ...problem, status: NOT_FOUND } : problem)
  }
}

const NOT_FOUND = 404

/** True if the code is about the path. For an agent in a body it means that it cannot be started. */
function isOfPath({ path }: RestRoute, { code }: RefusedError): boolean {
  return code === 'unknown_agent' && path.startsWith('/v1/agents/:id')
}

/** The first answer of a row is its success. */
function successOf({ answers }: RestRoute): number {
  return Number(Object.keys(answers)[0])
}

async function readAsked(route: RestRoute, exchange: Exchange, site: RestSite): Promise<Asked | Problem> {
  const { request, caller, proof, params, url, place } = exchange
  const { role, type = 'application/json' } = route
  if (role !== null && !includesRole(caller.role, role)) return otherRole(route, exchange)
  if (!accepts(request.headers.get('accept'), type)) return notAcceptable(type)
  const key = readKey(request, route)
  if (isProblem(key)) return key
  const query = await readQuery(url.searchParams, route.query ?? {}, site.checkSchema)
  if (isProblem(query)) return query
  const body = route.body ? await readBody(exchange.body, route.body, site.checkSchema) : { value: {} }
  if (isProblem(body)) return body
  const by = { by: caller.name, surface: surfaceOf(proof) }
  const given = { id: params['id'] ?? '', query: query.value, body: body.value, key: key.value }
  return { request, caller, proof, params, ...given, by, place }
}

function otherRole({ role }: RestRoute, { caller }: Exchange): Problem {
  return {
    status: 403,
    code: 'role_not_sufficient',
    detail: `The token of ${caller.name} has the role ${caller.role}, and this takes the role ${role}.`,
    hint: 'Nothing was done. Ask for a token with that role.',
  }
}

function accepts(accept: string | null, type: string): boolean {
  if (accept === null) return true
  const [family] = type.split('/')
  const names = accept.split(',').map(part => part.split(';')[0]?.trim().toLowerCase())
  return names.some(name => name === '' || name === '*/*' || name === `${family}/*` || name === type)
}

function notAcceptable(type: string): Problem {
  return { status: 406, code: 'not_acceptable', detail: `This answers with ${type}, which Accept does not take.` }
}

/** 304 if the caller has the document already. Weak: the same document may be written in other bytes. */
async function withETag({ headers: asked }: Request, response: Response): Promise<Response> {
  if (response.status !== 200) return response
  const text = await response.text()
  const tag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, TAG_LENGTH)}"`
  const headers = { etag: tag, 'cache-control': 'private, no-cache', vary: 'Authorization, Cookie' }
  if (isKnown(asked.get('if-none-match'), tag)) return new Response(null, { status: 304, headers })
  return new Response(text, { headers: { ...headers, 'content-type': 'application/json' } })
}

const TAG_LENGTH = 22

function isKnown(known: string | null, tag: string): boolean {
  const opaque = tag.slice(2)
  return (known ?? '').split(',').some(each => each.trim().replace(/^W\//, '') === opaque)
}
