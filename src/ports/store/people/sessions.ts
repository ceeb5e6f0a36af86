import type { Role } from '../../../core/people/role.ts'

/** A person who is signed in, by a secret in a cookie. The store has its digest, never the secret. */
export interface Session {
  /** `sha256:` of the secret. */
  readonly digest: string
  readonly name: string
  readonly role: Role
  /** How the person proved who they are: `token`, `oidc`, `proxy`, `link`. */
  readonly via: string
  /** The token that was exchanged for it: it ends with the token. `null` if there was none. */
  readonly token_id: string | null
  /** ISO times. */
  readonly created_at: string
  readonly expires_at: string
  readonly ended_at: string | null
}

/** A session about to begin: the store adds its time. */
export type NewSession = Omit<Session, 'created_at' | 'ended_at'>

/** Sessions of the page. Rows alone: the runtime says which of them is valid. */
export interface SessionStore {
  add(session: NewSession): Promise<Session>
  /** Also if it has ended or expired. */
  find(digest: string): Promise<Session | null>
  /** Those that have neither ended nor expired at this time (ISO), oldest first. */
  list(query: { readonly valid_at: string; readonly name?: string }): Promise<readonly Session[]>
  /** Ends one session, or all of a person. How many ended now. */
  end(which: { readonly digest: string } | { readonly name: string }): Promise<number>
}
