import type { Ruling } from './policy.ts'

const UNASKED = ': nobody was asked, because this run does not pause for approval'

/** Why a call ran that the policy asks about, for the record. */
export function askedNobody(tool: string, { rule }: Ruling): string {
  return `${tool} (${rule})${UNASKED}`
}

/** Extracts the tool and the rule from such words; `null` if a call ran for another reason. */
export function passedOver(ruleInWords: string): string | null {
  return ruleInWords.endsWith(UNASKED) ? ruleInWords.slice(0, -UNASKED.length) : null
}
