import { RefusedError } from '../errors.ts'
import type { Decision } from './decision.ts'

/** Another decision was first; there is nothing to undo. */
export function alreadyDecided(holdId: string, winner: Decision): RefusedError {
  return new RefusedError(
    'already_decided',
    `${winner.decided_by} already chose ${winner.verdict} for ${holdId} at ${winner.at}, so your decision was not recorded.`,
    { action: { do: 'look_at_hold', id: holdId }, details: { winner } },
  )
}
