import type { AccessToken } from '../../core/people/access-token.ts'
import type { PlaceName, TrustedPlace } from '../../core/people/trusted-place.ts'

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

/** Trusts a place. */
export interface PlaceTrust {
  readonly place: PlaceName
  readonly by: string
  readonly surface: string
}

/**
 * The callers of the server, and the places from which people decide. The record of each added or revoked token is
 * written in the same transaction (P10).
 */
export interface AccessStore {
  add(token: NewAccessToken): Promise<AccessToken>
  /** The token with this digest, also if it has expired or is revoked; `null` if there is none. */
  find(digest: string): Promise<AccessToken | null>
  /** All of them, oldest first. */
  list(): Promise<readonly AccessToken[]>
  /** The token after the call; one that was revoked before stays as it was. `null` for an unknown id. */
  revoke(revocation: TokenRevocation): Promise<AccessToken | null>
  /** All of them, oldest first. */
  places(): Promise<readonly TrustedPlace[]>
  /** Makes it the first place of its boot, if there is none yet: of two at the same time, one is first. */
  claimPlace(place: PlaceName): Promise<void>
  /** Trusts the place and records it, unless it is trusted already. */
  trustPlace(trust: PlaceTrust): Promise<void>
}
