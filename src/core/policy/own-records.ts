import type { Json } from '../text/json.ts'
import { type CallFacts, NO_FACTS } from './policy.ts'

/**
 * What policy may know of a call that runs where nobody here can look: where any of its arguments names the directory of
 * Holdpoint's own records, however it is written, a person looks.
 */
export function factsOfForeignCall(args: Json): CallFacts {
  if (!/\.holdpoint/i.test(JSON.stringify(args))) return NO_FACTS
  return { ...NO_FACTS, protected: 'its arguments name .holdpoint/, where Holdpoint keeps its own records' }
}
