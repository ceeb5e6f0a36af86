/** The two addresses of a sign-in at a provider: to it, and back from it. */
import { messageOf } from '../../../core/errors.ts'
import type { Problem } from '../../../protocols/http/problem.ts'
import type { Route, RouteOperation } from '../../../protocols/http/route.ts'
import { type Cookies, cookieIn, sessionCookie, setCookie } from '../../../protocols/http/session-cookie.ts'
import { SURFACE } from '../../../protocols/rest/route/rest-route.ts'
import type { Sessions } from '../../../runtime/access/sessions.ts'
import { messagePage } from '../page/message-page.ts'
import { ownPath } from '../page/own-path.ts'
import type { Journey, Provider } from './provider.ts'

export const DEPARTURE = '/sign-in/provider'
const ARRIVAL = '/sign-in/callback'
const COOKIE = 'hp-oidc'
/** Seconds that a person may take at the provider. */
const JOURNEY_S = 600
/** Each tab of a browser may have one under way. Browsers drop a cookie of more than 4 KiB. */
const MOST_JOURNEYS = 3
const LONGEST_PLACE = 500

interface Deps {
  readonly provider: Provider
  readonly sessions: Sessions
  readonly cookies: Cookies
}

export function providerRoutes(deps: Deps): readonly Route[] {
  return [
    {
      methods: ['GET'],
      path: DEPARTURE,
      operations: { GET: DEPART },
      ...{ isPublic: true, signsIn: true, refuse: problemPage },
      answer: ({ request, url }) => depart(request, url.searchParams.get('next') ?? '/', deps),
    },
    {
      methods: ['GET'],
      path: ARRIVAL,
      operations: { GET: ARRIVE },
      ...{ isPublic: true, signsIn: true, refuse: problemPage },
      answer: ({ request, url }) => arrive(request, url, deps),
    },
  ]
}

/** A problem as a page, because a person reads it in a browser. */
function problemPage({ status, detail, hint }: Problem): Response {
  return messagePage(status, hint === undefined || hint === null ? detail : `${detail} ${hint}`)
}

const PAGES = { refusalType: 'text/html', description: 'For browsers.' } as const
const TEXT = { type: 'string' } as const
const DEPART: RouteOperation = {
  ...PAGES,
  summary: 'Leads a browser to the provider at which people sign in',
  query: { next: TEXT },
  answers: { 303: { text: 'The provider.' } },
}
const ARRIVE: RouteOperation = {
  ...PAGES,
  summary: 'Where the provider leads the browser back to: it gets a cookie',
  query: { code: TEXT, state: TEXT, iss: TEXT },
  answers: { 303: { text: 'The page that `next` named.' } },
}

async function depart({ headers }: Request, next: string, { provider, cookies }: Deps): Promise<Response> {
  try {
    const place = ownPath(next)
    const { url, journey } = await provider.depart(
      addressOf(headers, cookies, ARRIVAL),
      place.length > LONGEST_PLACE ? '/' : place,
    )
    const journeys = [journey, ...journeysIn(headers, cookies)].slice(0, MOST_JOURNEYS)
    return redirect(url.href, [journeyCookie(headers, cookies, journeys)])
  } catch (thrown) {
    return messagePage(502, `The provider does not answer: ${messageOf(thrown)}.`)
  }
}

async function arrive({ headers }: Request, url: URL, deps: Deps): Promise<Response> {
  const { provider, sessions, cookies } = deps
  const journeys = journeysIn(headers, cookies)
  const state = url.searchParams.get('state')
  const journey = journeys.find(each => each.state === state)
  if (journey === undefined) return messagePage(400, 'This sign-in took too long, or began in another browser.')
  const over = journeyCookie(
    headers,
    cookies,
    journeys.filter(each => each !== journey),
  )
  const back = new URL(addressOf(headers, cookies, `${ARRIVAL}${url.search}`))
  const arrival = await provider.arrive(back, journey)
  if ('problem' in arrival) return messagePage(403, arrival.problem, [over])
  const { secret, session } = await sessions.open(arrival.person, SURFACE)
  const maxAge = Math.round((Date.parse(session.expires_at) - Date.parse(session.created_at)) / 1_000)
  return redirect(ownPath(journey.next), [over, sessionCookie(headers, secret, { cookies, maxAge })])
}

/** The address that browsers use; the gate has checked the name. */
function addressOf(headers: Headers, cookies: Cookies, path: string): string {
  return `${cookies === 'secure' ? 'https' : 'http'}://${headers.get('host')}${path}`
}

/** The sign-ins that the browser began and did not end, the newest first. The browser may have changed them. */
function journeysIn(headers: Headers, cookies: Cookies): readonly Journey[] {
  try {
    const text = Buffer.from(cookieIn(headers, COOKIE, cookies) ?? '', 'base64url').toString()
    const journeys = JSON.parse(text) as readonly Journey[]
    return journeys.filter(isJourney)
  } catch {
    return []
  }
}

function isJourney({ state, nonce, verifier, next }: Journey): boolean {
  return [state, nonce, verifier, next].every(part => typeof part === 'string')
}

/** The provider leads the browser back here, and a strict cookie would not come along. */
function journeyCookie(headers: Headers, cookies: Cookies, journeys: readonly Journey[]): string {
  const value = journeys.length === 0 ? '' : Buffer.from(JSON.stringify(journeys)).toString('base64url')
  const options = { sameSite: 'lax', maxAge: journeys.length === 0 ? 0 : JOURNEY_S } as const
  return setCookie(headers, { name: COOKIE, value, cookies }, options)
}

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}
