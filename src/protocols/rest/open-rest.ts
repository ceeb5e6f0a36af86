/**
 * The REST routes, as a server answers them: role, `Accept`, query and body are checked before a handler runs, so bad
 * input changes nothing.
 */
import { RefusedError } from '../../core/errors.ts'
import { includesRole } from '../../core/people/role.ts'
import { isProblem, type Problem, problemResponse } from '../http/problem.ts'
import { refusalProblem } from '../http/refusal-problem.ts'
import type { Exchange, Protocol, Route } from '../http/route.ts'
import { withETag } from './e-tag.ts'
import { readBody, readKey, readQuery } from './read-asked.ts'
import type { Asked, RestRoute, RestSite } from './route/rest-route.ts'
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
    const response = await route.answer(asked, site)
    return route.method === 'GET' && route.type === undefined ? await withETag(asked.request, response) : response
  } catch (thrown) {
    if (thrown instanceof RefusedError) return problemResponse(refusalProblem(thrown))
    throw thrown
  }
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
  return { request, caller, proof, params, query: query.value, body: body.value, key: key.value, place }
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
