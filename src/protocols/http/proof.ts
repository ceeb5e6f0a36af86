import { type Cookies, sessionIn } from './session-cookie.ts'

/** The part of a request that proves who sends it. */
export interface Proof {
  /**
   * `token`: a program sent it on purpose. A browser adds the cookie of a `session`, and a proxy its `assertion`, to each
   * request, also to those that a page of another site causes.
   */
  readonly kind: 'token' | 'session' | 'assertion'
  readonly text: string
  /** With a token: the person whom its program names. Only a server that its owner alone reaches may believe it. */
  readonly actor?: string
}

/** The proofs that requests may carry instead of tokens. */
export interface ProofPlaces {
  /** Cookies of sessions. Default: they count for nothing. */
  readonly cookies?: Cookies
  /** The header in which a trusted proxy sends its assertion, in lower case. Default: none. */
  readonly assertionHeader?: string | null
  /** The header in which programs of the owner name the person, in lower case, as a part of a URL. Default: none. */
  readonly actorHeader?: string | null
}

/** A token counts before a session, and a session before an assertion; `null` without any of them. */
export function proofIn({ headers }: Request, { cookies, assertionHeader, actorHeader }: ProofPlaces): Proof | null {
  const token = bearerIn(headers)
  const actor = actorHeader ? headers.get(actorHeader) : null
  if (token !== null) return { kind: 'token', text: token, ...(actor !== null && { actor }) }
  const session = cookies && sessionIn(headers, cookies)
  if (session) return { kind: 'session', text: session }
  const assertion = assertionHeader && headers.get(assertionHeader)
  return assertion ? { kind: 'assertion', text: assertion } : null
}

function bearerIn(headers: Headers): string | null {
  return /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null
}
