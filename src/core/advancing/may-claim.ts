import { type Exported, movedAway } from '../run/exported.ts'
import type { RunStanding } from './run-standing.ts'

interface ClaimedRun extends Pick<RunStanding, 'status'> {
  readonly exported: Exported | null
  readonly lease: { readonly owner: string; readonly until: string } | null
}

interface ClaimTerms {
  /** True if the claim brings decisions: their receipts are wanted even if the run is done. */
  readonly decides: boolean
  /** The owner whose process is known to be gone. */
  readonly evict?: string | null | undefined
}

/** A reason against a claim. */
export type ClaimObjection =
  | { readonly outcome: 'done' }
  | { readonly outcome: 'busy'; readonly owner: string; readonly until: string }

/** Why the lease cannot be taken now; `null` if it is free (P7). @throws RefusedError `exported` */
export function objectionToClaim({ status, exported, lease }: ClaimedRun, terms: ClaimTerms): ClaimObjection | null {
  if (exported) throw movedAway(exported)
  if (status === 'done' && !terms.decides) return { outcome: 'done' }
  return objectionToTaking(lease, terms.evict ?? null)
}

/**
 * P7: no clock frees a lease. Its owner gives it back, or a process takes it that knows that the owner is gone. For an
 * owner elsewhere, a process first watches the lease (runtime/lease/lease-watch.ts) and reclaims it.
 */
export function objectionToTaking(
  lease: ClaimedRun['lease'],
  evict: string | null,
): Extract<ClaimObjection, { outcome: 'busy' }> | null {
  if (lease === null || lease.owner === evict) return null
  return { outcome: 'busy', owner: lease.owner, until: lease.until }
}
