import { canonicalJson, type Json } from '../text/json.ts'
import type { Policy, Ruling } from './policy.ts'
import { DEFAULT_POLICY } from './read-policy.ts'

const UNASKED = ': nobody was asked, because this run does not pause for approval'

/**
 * Why a call ran that the policy asks about, for the record. No user wrote the built-in default, so to pass it over
 * needs no warning.
 */
export function askedNobody(policy: Policy, tool: string, { rule }: Ruling): string {
  const isBuiltIn = rule.startsWith('default:') && asText(policy) === asText(DEFAULT_POLICY)
  return isBuiltIn ? 'this run does not pause for approval' : `${tool} (${rule})${UNASKED}`
}

/** The tool and the rule out of such words; `null` if a call ran for another reason. */
export function passedOver(ruleInWords: string): string | null {
  return ruleInWords.endsWith(UNASKED) ? ruleInWords.slice(0, -UNASKED.length) : null
}

function asText(policy: Policy): string {
  return canonicalJson(policy as unknown as Json)
}
