import type { RefusedError } from '../errors.ts'
import { holdRefusals } from '../refusals/hold-refusals.ts'
import type { DecisionInput, DecisionVerdict } from './decision.ts'
import type { Hold } from './hold.ts'

/**
 * P9: why a decision does not let the shown call pass; `null` if it does. `computed` is the digest of the hold's row
 * now. To refuse a call is always possible.
 */
export function objectionToDigest(
  hold: Pick<Hold, 'id' | 'digest' | 'level'>,
  { verdict, digest, level }: Pick<DecisionInput, 'verdict' | 'digest' | 'level'>,
  computed: string | null,
): RefusedError | null {
  if (REFUSES[verdict]) return null
  if (computed !== hold.digest) return holdRefusals.alteredHold(hold.id)
  if ((digest ?? hold.digest) !== hold.digest) return holdRefusals.shownOtherwise(hold.id, hold.digest)
  return (level ?? hold.level) === hold.level ? null : holdRefusals.escalatedSince(hold.id, hold.level)
}

/** A decider may refuse a call, even if another call was shown. */
export const REFUSES: Record<DecisionVerdict, boolean> = {
  approve: false,
  edit: false,
  respond: false,
  reject: true,
  cancel: true,
}
