/** Tells models that policy refuses a call, and extracts the rule from these words for people. */

export function neverWords(rule: string): string {
  return `policy says never (${rule}).`
}

/** Refuses a call that a person would have to look at, in a run that asks nobody. */
export function notAskedWords(rule: string, asking: 'approval' | 'questions'): string {
  return `${rule}, and nobody could be asked: this run does not pause for ${asking}.`
}

const WORDS: readonly RegExp[] = [
  /^policy says never \((.*)\)\.$/s,
  /^(.*), and (?:nobody could be asked: )?this run does not pause for (?:approval|questions)\.$/s,
]

/** The rule in the words; all of the words if they name no rule. */
export function refusingRule(message: string): string {
  for (const words of WORDS) {
    const [, rule] = words.exec(message) ?? []
    if (rule !== undefined) return rule
  }
  return message
}

/** True for the words of a ruling `never`. */
export function isNever(ruleInWords: string): boolean {
  return ruleInWords.endsWith(': never')
}
