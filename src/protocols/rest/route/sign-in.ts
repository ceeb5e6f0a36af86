import type { Session } from '../../../core/people/session.ts'
import type { Cookies } from '../../http/session-cookie.ts'

/** How people sign in at this server, and out of it. */
export interface SignIn {
  readonly cookies: Cookies
  /** The ways to sign in that a page offers. */
  readonly ways: readonly SignInWay[]
  /** `null` if the token counts for nothing. */
  byToken(token: string): Promise<OpenedSession | null>
  /** `null` if the link is unknown, used or too old. */
  byLink(link: string): Promise<OpenedSession | null>
  /** The session of a cookie; `null` if it signs no person in. */
  find(secret: string): Promise<Session | null>
  end(session: Session): Promise<void>
  /** Ends all sessions of this name. */
  endAll(name: string): Promise<void>
}

/** `provider`: a browser that opens `url` returns signed in. */
export type SignInWay =
  | { readonly kind: 'token' }
  | { readonly kind: 'provider'; readonly title: string; readonly url: string }

/** `secret` is for the cookie alone. */
export interface OpenedSession {
  readonly secret: string
  readonly session: Session
}

/** The person of a request, and how they proved it: by a session, by a token, or by the word of a trusted proxy. */
export interface SignedInDocument extends Pick<Session, 'name' | 'role' | 'groups'> {
  readonly by: 'session' | 'token' | 'proxy'
  /** ISO time; `null` if it does not end by itself. */
  readonly expires_at: string | null
}

export interface SessionDocument {
  /** `null`: the sender is not signed in. */
  readonly signed_in: SignedInDocument | null
  readonly ways: readonly SignInWay[]
  readonly version: string
}
