import type { DecisionInput } from '../../core/hold/decision.ts'
import { plain } from '../../core/plain/plain.ts'
import { canonicalJson, type Json } from '../../core/text/json.ts'
import type { Ids } from '../../ports/ids.ts'

/** The idempotency key of who gave none: the same person who says the same again has said it once. */
export function sameDecisionId(ids: Ids, said: DecisionInput): string {
  return `dec_${ids.digest(canonicalJson(plain({ ...said } as object as Json))).slice(-32)}`
}
