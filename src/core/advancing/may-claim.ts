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
  /** In milliseconds since 1970. */
  readonly now: number
}

/** A reason against a claim. */
export type ClaimObjection =
  | { readonly outcome: 'done' }
  | { readonly outcome: 'busy'; readonly owner: string; readonly until: string }

/** Why the lease cannot be taken now; `null` if it is free (P7). @throws RefusedError `exported` */
export function objectionToClaim({ status, exported, lease }: ClaimedRun, terms: ClaimTerms): ClaimObjection | null {
  if (exported) throw movedAway(exported)
  if (status === 'done' && !terms.decides) return { outcome: 'done' }
  if (lease !== null && Date.parse(lease.until) > terms.now && lease.owner !== terms.evict)
    return { outcome: 'busy', owner: lease.owner, until: lease.until }
  return null
}
