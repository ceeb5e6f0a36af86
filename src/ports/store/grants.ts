import type { Grant } from '../../core/hold/grant.ts'

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

/** Standing grants: calls that pass without a question. A decision gives them, so `HoldStore.decide` writes them. */
export interface GrantStore {
  grant(id: string): Promise<Grant | null>
  /** Oldest first. */
  grants(query: GrantQuery): Promise<readonly Grant[]>
  /**
   * P10: the field of the grant's row that is not as its records say (`differingGrant`); `null` if all fit. It is asked of a
   * grant that is about to let a call pass.
   */
  grantFault(id: string): Promise<string | null>
  /** The grant as it is then; a grant that was revoked before stays as it was. `null` for an unknown grant. */
  revoke(revocation: Revocation): Promise<Grant | null>
}
