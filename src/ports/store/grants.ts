import type { Grant, NewGrant } from '../../core/hold/grant.ts'

/** Chooses standing approvals. All that is given must fit. */
export interface GrantQuery {
  readonly agent?: string
  readonly tool?: string
  /** Only those that are neither revoked nor expired at this time. */
  readonly valid_at?: string
}

/** Ends a standing approval. */
export interface Revocation {
  readonly grant_id: string
  readonly by: string
  readonly surface: string
}

/**
 * Standing grants: calls that pass without a question. `HoldStore.decide` writes those that a decision gives, which are
 * most.
 */
export interface GrantStore {
  grant(id: string): Promise<Grant | null>
  /** Oldest first. */
  grants(query: GrantQuery): Promise<readonly Grant[]>
  /**
   * P10: the field of the grant's row that differs from its records (`differingGrant`); `null` if all fit. The gate
   * asks before a grant lets a call pass.
   */
  grantFault(id: string): Promise<string | null>
  /** Writes a grant that no decision gives, and its record (`givenGrantEntry`), or nothing. */
  give(grant: NewGrant): Promise<Grant>
  /** The grant after the call; a grant that was revoked before stays as it was. `null` for an unknown grant. */
  revoke(revocation: Revocation): Promise<Grant | null>
}
