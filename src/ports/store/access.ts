import type { AccessToken } from '../../core/people/access-token.ts'

/** A token as it is put on record. */
export interface NewAccessToken extends Pick<AccessToken, 'id' | 'name' | 'role' | 'expires_at'> {
  /** `sha256:` of its secret, unique in the store. */
  readonly digest: string
  readonly by: string
  readonly surface: string
}

/** Ends a token. */
export interface TokenRevocation {
  readonly id: string
  readonly by: string
  readonly surface: string
}

/** The callers of the server. Each token that is added or revoked goes on record in the same transaction (P10). */
export interface AccessStore {
  add(token: NewAccessToken): Promise<AccessToken>
  /** The token with this digest, also if it has expired or is revoked; `null` if there is none. */
  find(digest: string): Promise<AccessToken | null>
  /** All of them, oldest first. */
  list(): Promise<readonly AccessToken[]>
  /** The token as it is then; one that was revoked before stays as it was. `null` for an unknown id. */
  revoke(revocation: TokenRevocation): Promise<AccessToken | null>
}
