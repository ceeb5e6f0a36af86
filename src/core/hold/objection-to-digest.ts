import { RefusedError } from '../errors.ts'
import type { DecisionInput, DecisionVerdict } from './decision.ts'
import type { Hold } from './hold.ts'

/**
 * P9: why a decision does not let pass what its decider was shown; `null` if it does. `computed` is the digest of what the
 * hold's row says now. To refuse a call is always possible.
 */
export function objectionToDigest(
  hold: Pick<Hold, 'id' | 'digest' | 'level'>,
  { verdict, digest, level }: Pick<DecisionInput, 'verdict' | 'digest' | 'level'>,
  computed: string | null,
): RefusedError | null {
  if (REFUSES[verdict]) return null
  if (computed !== hold.digest) return altered(hold)
  if ((digest ?? hold.digest) !== hold.digest) return shownOtherwise(hold)
  return (level ?? hold.level) === hold.level ? null : escalatedSince(hold)
}

/** A decider may refuse a call, even if another call was shown. */
export const REFUSES: Record<DecisionVerdict, boolean> = {
  approve: false,
  edit: false,
  respond: false,
  reject: true,
  cancel: true,
}

function altered({ id }: Pick<Hold, 'id'>): RefusedError {
  return new RefusedError(
    'altered_hold',
    `What ${id} shows now is not what was asked: its digest does not fit, so its row was changed. Nothing was recorded.`,
    { hint: 'Reject or cancel it, and verify the audit log.' },
  )
}

/** The decider was shown another call than the one that waits. */
export function shownOtherwise({ id, digest }: Pick<Hold, 'id' | 'digest'>): RefusedError {
  return new RefusedError(
    'digest_mismatch',
    `${id} is not what you were shown: its digest is ${digest}. Nothing was recorded.`,
    { hint: 'Look at what it asks for now, and decide that.', details: { digest } },
  )
}

/** Since then others are asked, and the deadline is another one. */
function escalatedSince({ id, level }: Pick<Hold, 'id' | 'level'>): RefusedError {
  return new RefusedError(
    'level_mismatch',
    `${id} was escalated after you were shown it: it is at level ${level}. Nothing was recorded.`,
    { hint: 'Look at who is asked now and until when, and decide then.', details: { level } },
  )
}
