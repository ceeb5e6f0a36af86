/** The two addresses of a sign-in at a provider: to it, and back from it. */
import { messageOf } from '../../../core/errors.ts'
import type { Route } from '../../../protocols/http/route.ts'
import { type Cookies, cookieIn, sessionCookie, setCookie } from '../../../protocols/http/session-cookie.ts'
import { SURFACE } from '../../../protocols/rest/route/rest-route.ts'
import type { Sessions } from '../../../runtime/access/sessions.ts'
import { messagePage } from '../page/message-page.ts'
import type { Journey, Provider } from './provider.ts'

export const DEPARTURE = '/sign-in/provider'
const ARRIVAL = '/sign-in/callback'
const COOKIE = 'hp-oidc'
/** Seconds that a person may take at the provider. */
const JOURNEY_S = 600

interface Site {
  readonly provider: Provider
  readonly sessions: Sessions
  readonly cookies: Cookies
}

export function providerRoutes(site: Site): readonly Route[] {
  return [
    {
      methods: ['GET'],
      path: DEPARTURE,
      isPublic: true,
      answer: ({ request, url }) => depart(request, url.searchParams.get('next') ?? '/', site),
    },
    {
      methods: ['GET'],
      path: ARRIVAL,
      isPublic: true,
      answer: ({ request, url }) => arrive(request, url.search, site),
    },
  ]
}

async function depart({ headers }: Request, next: string, { provider, cookies }: Site): Promise<Response> {
  try {
    const { url, journey } = await provider.depart(addressOf(headers, cookies, ARRIVAL), next)
    const value = Buffer.from(JSON.stringify(journey)).toString('base64url')
    // The provider leads the browser back here, and a strict cookie would not come along.
    const kept = setCookie(headers, { name: COOKIE, value, cookies }, { sameSite: 'lax', maxAge: JOURNEY_S })
    return redirect(url.href, [kept])
  } catch (thrown) {
    return messagePage(502, `The provider does not answer: ${messageOf(thrown)}.`)
  }
}

async function arrive({ headers }: Request, query: string, site: Site): Promise<Response> {
  const { provider, sessions, cookies } = site
  const journey = journeyIn(cookieIn(headers, COOKIE, cookies))
  const over = setCookie(headers, { name: COOKIE, value: '', cookies }, { sameSite: 'lax', maxAge: 0 })
  if (journey === null) return messagePage(400, 'This sign-in took too long, or began in another browser.', [over])
  const url = new URL(addressOf(headers, cookies, `${ARRIVAL}${query}`))
  const arrival = await provider.arrive(url, journey)
  if ('problem' in arrival) return messagePage(403, arrival.problem, [over])
  const { secret, session } = await sessions.open(arrival.person, SURFACE)
  const maxAge = Math.round((Date.parse(session.expires_at) - Date.parse(session.created_at)) / 1_000)
  return redirect(pathIn(journey.next), [over, sessionCookie(headers, secret, { cookies, maxAge })])
}

/** As browsers address it; the gate has checked the name. */
function addressOf(headers: Headers, cookies: Cookies, path: string): string {
  return `${cookies === 'secure' ? 'https' : 'http'}://${headers.get('host')}${path}`
}

/** The browser has it from here, but may have changed it. */
function journeyIn(text: string | null): Journey | null {
  try {
    const journey = JSON.parse(Buffer.from(text ?? '', 'base64url').toString()) as Journey
    return [journey.state, journey.nonce, journey.verifier].every(part => typeof part === 'string') ? journey : null
  } catch {
    return null
  }
}

/** A place of the page, and never another site. */
function pathIn(next: string): string {
  const url = URL.parse(next, 'http://page.invalid')
  return url?.host === 'page.invalid' ? `${url.pathname}${url.search}` : '/'
}

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}
