import type { MaybeUnreadable } from '../unreadable.ts'
import type { Role } from './role.ts'

/**
 * A browser in which a person is signed in. The store has a digest of its secret, and never the secret. No browser has
 * opened a `link` yet: its secret is exchanged once for that of a session.
 */
export interface Session extends MaybeUnreadable {
  readonly id: string
  readonly kind: 'link' | 'session'
  /** The name that signs. */
  readonly name: string
  readonly role: Role
  /** The groups as the provider of the sign-in names them, without `@`. */
  readonly groups: readonly string[]
  readonly proof: SessionProof
  /** ISO times. */
  readonly created_at: string
  readonly expires_at: string
  readonly ended_at: string | null
  readonly ended_by: string | null
}

/**
 * The proof of the person. `token`: they had an access token, and `digest` is of its secret. `owner`: they had the
 * secret of the person who started the server. `provider`: an OpenID provider vouched for them.
 */
export type SessionProof =
  | { readonly kind: 'token' | 'owner'; readonly digest: string }
  | { readonly kind: 'provider'; readonly issuer: string; readonly subject: string }

/** True as long as the session signs its person in; a damaged one does not. `now` is in milliseconds since 1970. */
export function isOpenSession({ kind, expires_at, ended_at, unreadable }: Session, now: number): boolean {
  return kind === 'session' && !unreadable && ended_at === null && Date.parse(expires_at) > now
}
