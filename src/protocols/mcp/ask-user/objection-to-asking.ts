import type { RefusedError } from '../../../core/errors.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { objectionToDecider } from '../../../core/hold/may-decide.ts'

/** Why a person is not asked; `null` if they are. One who may not even refuse could say nothing. */
export function objectionToAsking(hold: Hold, person: string): RefusedError | null {
  return objectionToDecider(hold, { verdict: 'reject', decided_by: person })
}
