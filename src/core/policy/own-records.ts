import type { Json } from '../text/json.ts'
import { type CallFacts, NO_FACTS } from './policy.ts'

/**
 * The facts for policy about a call that runs out of Holdpoint's sight. If any argument names the directory of
 * Holdpoint's own records, in any spelling, a person looks.
 */
export function factsOfForeignCall(args: Json): CallFacts {
  if (!/\.holdpoint/i.test(JSON.stringify(args))) return NO_FACTS
  return { ...NO_FACTS, protected: 'its arguments name .holdpoint/, where Holdpoint keeps its own records' }
}
