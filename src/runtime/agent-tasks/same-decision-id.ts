import type { DecisionInput } from '../../core/decision.ts'
import { canonicalJson } from '../../core/json.ts'
import type { Ids } from '../../ports/ids.ts'

/** The idempotency key of who gave none: the same person who says the same again has said it once. */
export function sameDecisionId(ids: Ids, said: DecisionInput): string {
  return `dec_${ids.digest(canonicalJson(JSON.parse(JSON.stringify(said)))).slice(-32)}`
}
