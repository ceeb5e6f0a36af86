import type { Grant } from '../../core/hold/grant.ts'
import type { GrantQuery } from '../../ports/store/grants.ts'

/** Standing approvals: they are given along with a decision, and taken back here. */
export interface Grants {
  /** Oldest first; without `all` only those that are neither revoked nor expired. */
  list(query?: Omit<GrantQuery, 'valid_at'> & { readonly all?: boolean }): Promise<readonly Grant[]>

  /** From here on calls that it covered are asked about again. @throws RefusedError `unknown_grant` */
  revoke(id: string, by: { readonly by: string; readonly surface: string }): Promise<Grant>
}
