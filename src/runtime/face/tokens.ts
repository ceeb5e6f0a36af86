import type { AccessToken } from '../../core/people/access-token.ts'
import type { Role } from '../../core/people/role.ts'

/** A token as it is asked for. */
export interface TokenOptions {
  /** The name that its bearer signs with. */
  readonly name: string
  readonly role: Role
  /** ISO time. Default: it does not expire. */
  readonly expires_at?: string | null
}

/** The person who adds or revokes a token, and the surface. */
export interface TokenAuthor {
  readonly by: string
  readonly surface: string
}

/** Tokens of callers of the server (docs/server.md). Agents add none. */
export interface Tokens {
  /** Returns the `secret` once: the store keeps only the digest. @throws RefusedError */
  add(options: TokenOptions, author: TokenAuthor): Promise<{ readonly secret: string; readonly token: AccessToken }>

  /** Oldest first; without `all` only those that still let their bearer in. */
  list(query?: { readonly all?: boolean }): Promise<readonly AccessToken[]>

  /**
   * The token of this id, or all tokens of this name: from here on they let no caller in. A name also ends all sessions
   * of its person, however they signed in. @throws RefusedError `unknown_token`
   */
  revoke(idOrName: string, author: TokenAuthor): Promise<readonly AccessToken[]>

  /** The token of this secret; `null` if it is unknown, expired or revoked. */
  identify(secret: string): Promise<AccessToken | null>
}
