const OBSERVED = 'observed, where a person would be asked: '

/** The recorded reason of a call that runs because its policy only observes. */
export function observedWords(rule: string): string {
  return `${OBSERVED}${rule}`
}

/** Extracts the rule from such words; `null` if a call ran for another reason. */
export function observedRule(ruleInWords: string): string | null {
  return ruleInWords.startsWith(OBSERVED) ? ruleInWords.slice(OBSERVED.length) : null
}
