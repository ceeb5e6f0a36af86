/**
 * Names callers to themselves, and signs people in and out. A browser keeps its session in a cookie that no script
 * reads, so a page never keeps a token.
 */

import type { Session } from '../../../core/people/session.ts'
import { described, type FitsAll, FLAG, object, type Schema } from '../../../core/text/json-schema.ts'
import { type Caller, objectionToPage } from '../../http/gate.ts'
import { type Problem, problemResponse } from '../../http/problem.ts'
import type { Proof } from '../../http/proof.ts'
import { sessionCookie } from '../../http/session-cookie.ts'
import { type Asked, type RestRoute, type RestSite, route, verb } from '../route/rest-route.ts'
import { NAME } from '../route/schema-parts.ts'
import type { OpenedSession, SessionDocument, SignedInDocument } from '../route/sign-in.ts'

const PROOFS = {
  token: described(NAME, 'A token of this server.'),
  link: described(NAME, 'The part of the link behind the #.'),
}

export const SESSION_ROUTES: readonly RestRoute[] = [
  verb('me', {
    summary: 'The name that the token signs with, its role, and the version of the server',
    answers: { 200: '#Caller' },
    call: async ({ caller: { name, role } }, { version }) => ({ name, role, version }),
  }),
  route('GET /v1/session', null, {
    knowsCaller: true,
    summary: 'Who is signed in, and how to sign in',
    answers: { 200: '#Session' },
    call: async (asked, site) => documentOf(await signedIn(asked, site), site),
  }),
  route('POST /v1/session', null, {
    signsIn: true,
    summary: 'Sign a browser in, with a token or the link of an inbox: it gets a cookie',
    body: { ...object(PROOFS), minProperties: 1, maxProperties: 1 } as Schema<FitsAll<typeof PROOFS>>,
    answers: {
      200: '#Session',
      401: 'The token or link does not sign anybody in.',
      403: 'A page of another site asks.',
      429: 'Too many of this address.',
    },
    call: signIn,
  }),
  route('DELETE /v1/session', 'viewer', {
    summary: 'Sign this browser out, or with `everywhere` each browser of this person',
    query: { everywhere: described(FLAG, 'Also ends the sessions of the other browsers.') },
    answers: { 204: 'Signed out.' },
    call: signOut,
  }),
]

async function signIn(
  { request, body: { token, link } }: Asked<object, FitsAll<typeof PROOFS>>,
  site: RestSite,
): Promise<Response> {
  // Otherwise a page of another site could sign the person in as another one.
  const objection = objectionToPage(request, site.signIn.cookies)
  if (objection) return problemResponse(objection)
  const opened = token === undefined ? await site.signIn.byLink(link ?? '') : await site.signIn.byToken(token)
  if (opened === null) return problemResponse(token === undefined ? DEAD_LINK : UNKNOWN_TOKEN)
  return withSession(request, opened, site)
}

function withSession({ headers }: Request, { secret, session }: OpenedSession, site: RestSite): Response {
  const maxAge = Math.round((Date.parse(session.expires_at) - Date.parse(session.created_at)) / 1_000)
  const cookie = sessionCookie(headers, secret, { cookies: site.signIn.cookies, maxAge })
  return Response.json(documentOf(bySession(session), site), {
    headers: { 'set-cookie': cookie, 'cache-control': 'no-store' },
  })
}

async function signOut(
  { request, caller, proof, query: { everywhere } }: Asked<{ readonly everywhere?: boolean }>,
  { signIn }: RestSite,
): Promise<Response> {
  const session = await sessionOf(proof, signIn)
  if (session) await signIn.end(session)
  if (everywhere) await signIn.endAll(caller.name)
  const cookie = sessionCookie(request.headers, '', { cookies: signIn.cookies, maxAge: 0 })
  return new Response(null, { status: 204, headers: { 'set-cookie': cookie } })
}

async function signedIn({ caller, proof }: Asked, { signIn }: RestSite): Promise<SignedInDocument | null> {
  if (proof === null) return null
  const session = await sessionOf(proof, signIn)
  return session ? bySession(session) : byOther(caller, proof)
}

async function sessionOf(proof: Proof | null, signIn: RestSite['signIn']): Promise<Session | null> {
  return proof?.kind === 'session' ? signIn.find(proof.text) : null
}

function bySession({ name, role, groups, expires_at }: Session): SignedInDocument {
  return { name, role, groups, by: 'session', expires_at }
}

function byOther({ name, role, groups = [] }: Caller, { kind }: Proof): SignedInDocument {
  return { name, role, groups, by: kind === 'assertion' ? 'proxy' : 'token', expires_at: null }
}

function documentOf(signed_in: SignedInDocument | null, { signIn, version }: RestSite): SessionDocument {
  return { signed_in, ways: signIn.ways, version }
}

const UNKNOWN_TOKEN: Problem = {
  status: 401,
  code: 'invalid_token',
  detail: 'That is not a token of this server.',
  hint: 'It may have ended. Ask an admin of this server for one. Your own server takes the token that its first line names.',
}

const DEAD_LINK: Problem = {
  status: 401,
  code: 'invalid_sign_in_link',
  detail: 'This link was used already, or is older than five minutes.',
  hint: 'Ask for another one where you got it.',
}
