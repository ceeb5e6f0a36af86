import { type Exported, movedAway } from '../run/exported.ts'
import type { RunStanding } from './run-standing.ts'

interface ClaimedRun extends Pick<RunStanding, 'status'> {
  readonly exported: Exported | null
  readonly lease: { readonly owner: string; readonly until: string } | null
}

interface ClaimTerms {
  /** True if decisions come with the claim: the receipts of a run that is done are told too. */
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
 * P7: no clock frees a lease. Its owner gives it back, or somebody takes it who knows that the owner is gone; who knows it
 * of an owner elsewhere has watched the lease (runtime/lease/lease-watch.ts) and reclaims it first.
 */
export function objectionToTaking(
  lease: ClaimedRun['lease'],
  evict: string | null,
): Extract<ClaimObjection, { outcome: 'busy' }> | null {
  if (lease === null || lease.owner === evict) return null
  return { outcome: 'busy', owner: lease.owner, until: lease.until }
}
