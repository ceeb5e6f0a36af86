import type { DecisionInput } from '../../core/hold/decision.ts'
import { plain } from '../../core/plain/plain.ts'
import { canonicalJson, type Json } from '../../core/text/json.ts'
import type { Ids } from '../../ports/ids.ts'

/** The idempotency key for a caller who gave none: the same decision by the same person counts once. */
export function sameDecisionId(ids: Ids, input: DecisionInput): string {
  return `dec_${ids.digest(canonicalJson(plain({ ...input } as object as Json))).slice(-32)}`
}
