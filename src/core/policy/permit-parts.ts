/** Commands of a line that rules permit one by one: the line runs if each of them may. */

import { matchesGlob, matchesWords } from './glob.ts'

interface PolicyRule {
  readonly tool: string
  readonly match: Readonly<Record<string, string>>
  readonly policy: string
}

interface Policy {
  readonly rules: readonly PolicyRule[]
  readonly reads?: 'auto'
}

interface PolicyQuestion {
  readonly tool: string
  readonly facts: { readonly readings: Readonly<Record<string, { readonly parts?: readonly CommandPart[] | null }>> }
}

/** The words of a command, of which a pattern must name the first ones without a star. */
export interface PartLine {
  readonly words: readonly string[]
  readonly named: number
  /** Words that are or may be paths out of the directory of the run. */
  readonly outside: readonly string[]
}

/** One command of a line, for rules to permit. */
export interface CommandPart {
  readonly text: string
  /** Each line of words that it may turn out to be; `null` if no rule may permit it. */
  readonly lines: readonly PartLine[] | null
  /** Why it may do more than to read what lies in the directory of the run; `null` if it only does that. */
  readonly beyond: string | null
}

/** A command of a line, with what permits it: a rule, or that it only reads; `null` if nothing does. */
export interface ExplainedPart {
  readonly command: string
  readonly by: string | null
  /** Why it is not taken for one that only reads; `null` if that is not asked, or if something permits it. */
  readonly why: string | null
}

/** The permission of each command of a line; empty if its commands cannot be separated. */
export function explainParts(policy: Policy, question: PolicyQuestion): readonly ExplainedPart[] {
  const parts = Object.entries(question.facts.readings).flatMap(([argument, { parts: found }]) =>
    (found ?? []).map(part => ({ argument, part })),
  )
  return parts.map(({ argument, part }) => explainPart(policy, question, { argument, part, reads: policy.reads }))
}

function explainPart(policy: Policy, question: PolicyQuestion, asked: AskedPart): ExplainedPart {
  const { text: command, beyond } = asked.part
  if (policy.reads === 'auto' && beyond === null) return { command, by: 'it only reads', why: null }
  const ruleBy = (reads: Policy['reads']) => policy.rules.find(each => permitsPart(each, question, { ...asked, reads }))
  const entry = ruleBy(policy.reads)
  if (entry || policy.reads !== 'auto') return { command, by: entry ? ruleText(entry) : null, why: null }
  const isOutside = ruleBy(undefined) !== undefined
  return { command, by: null, why: isOutside ? 'a rule would permit it, but for a path that may lie outside' : beyond }
}

interface AskedPart {
  readonly argument: string
  readonly part: CommandPart
  readonly reads: Policy['reads']
}

function permitsPart(
  { tool, match, policy }: PolicyRule,
  question: PolicyQuestion,
  { argument, part, reads }: AskedPart,
): boolean {
  const pattern = match[argument]
  if (policy !== 'auto' || pattern === undefined || Object.keys(match).length > 1) return false
  const lines = part.lines ?? []
  if (!matchesGlob(tool, question.tool) || lines.length === 0) return false
  return lines.every(line => permitsLine(pattern, line) && (reads === undefined || staysInside(pattern, line)))
}

/** Under `reads` a star covers no path that leads outside. */
function staysInside(pattern: string, { outside }: PartLine): boolean {
  const written = pattern.split(' ')
  return outside.every(word => written.includes(word))
}

function permitsLine(pattern: string, { words, named }: PartLine): boolean {
  const start = words.slice(0, named).join(' ')
  const isNamed = named === 0 || (pattern.startsWith(start) && /^(?:[ *]|$)/.test(pattern.slice(start.length)))
  return isNamed && matchesWords(pattern, words)
}

/** The rule as a person finds it in the policy file. */
export function ruleText({ tool, match, policy }: PolicyRule): string {
  return `rule ${tool} ${JSON.stringify(match)}: ${policy}`
}
