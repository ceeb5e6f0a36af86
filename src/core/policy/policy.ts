import type { Json, JsonObject } from '../text/json.ts'
import { matchesGlob } from './glob.ts'

export type Verdict = 'auto' | 'prompt' | 'never'

export interface PolicyRule {
  /** A tool's whole name, or a glob over it. */
  readonly tool: string
  /** Argument name to glob; every one must match. */
  readonly match: Readonly<Record<string, string>>
  readonly policy: Verdict
}

/** docs/design/policy.md */
export interface Policy {
  readonly default: Verdict
  readonly tools: Readonly<Record<string, Verdict>>
  readonly rules: readonly PolicyRule[]
  /** For a call that is `never`: ask a person to override, or refuse at once. */
  readonly on_never: 'pause' | 'reject'
}

/** How one argument reads to patterns. */
export interface ArgumentReading {
  /** The one text that a permissive pattern may match; `null` if no pattern may permit it. */
  readonly as: string | null
  /** Every text a restrictive pattern is tried on: all that the argument may turn out to do. */
  readonly among: readonly string[]
}

/** A tool's reading of one call for policy, with quoting, paths and wrappers seen through. */
export interface CallFacts {
  readonly readings: Readonly<Record<string, ArgumentReading>>
  /** Why a person must look even if the rules permit, for example a command that cannot be parsed. */
  readonly unclear: string | null
  /** Set if the call would write into Holdpoint's own records: then a person must always look, for this reason. */
  readonly protected: string | null
}

export const NO_FACTS: CallFacts = { readings: {}, unclear: null, protected: null }

export interface PolicyQuestion {
  readonly tool: string
  /** A tool that does the same: what restricts that one restricts this one, unless it is named itself. Default: none. */
  readonly same_as?: string
  readonly arguments: JsonObject
  readonly facts: CallFacts
  /** The tool's own word on these arguments; `null` if it has none. */
  readonly needs_approval: boolean | null
}

export interface Ruling {
  readonly verdict: Verdict
  /** Which rule said so, in words a person can look up in the policy file. */
  readonly rule: string
  /** True if a run that never asks must not let this pass either. */
  readonly binding: boolean
}

const STRICTNESS: Record<Verdict, number> = { auto: 0, prompt: 1, never: 2 }

/** Rule with a match > exact tool name > tool glob > the tool's own word > default; at equal rank the strictest wins. */
export function rule(policy: Policy, question: PolicyQuestion): Ruling {
  const said = strictest(RANKS.map(rank => rank(policy, question)).find(found => found.length > 0) ?? [])
  const ruling = said ?? { verdict: policy.default, rule: `default: ${policy.default}`, binding: false }
  return atLeastAsks(ruling, question.facts)
}

type Rank = (policy: Policy, question: PolicyQuestion) => Ruling[]

const RANKS: readonly Rank[] = [
  orTheSame(rulesWithMatch),
  exactName,
  ofTheSame(exactName),
  orTheSame(nameGlobs),
  toolsOwnWord,
]

/** The rules of a tool that does the same only restrict; they never permit. */
function ofTheSame(rank: Rank): Rank {
  return (policy, question) => {
    const { same_as: tool } = question
    return tool === undefined ? [] : rank(policy, { ...question, tool }).filter(({ verdict }) => verdict !== 'auto')
  }
}

function orTheSame(rank: Rank): Rank {
  return (policy, question) => [...rank(policy, question), ...ofTheSame(rank)(policy, question)]
}

function rulesWithMatch(policy: Policy, question: PolicyQuestion): Ruling[] {
  return policy.rules
    .filter(entry => matchesGlob(entry.tool, question.tool) && matchesArguments(entry, question))
    .map(entry => ruling(entry.policy, `rule ${entry.tool} ${JSON.stringify(entry.match)}: ${entry.policy}`))
}

function exactName({ tools }: Policy, { tool }: PolicyQuestion): Ruling[] {
  const verdict = Object.hasOwn(tools, tool) ? tools[tool] : undefined
  return verdict ? [ruling(verdict, `tools.${tool}: ${verdict}`)] : []
}

function nameGlobs({ tools }: Policy, { tool }: PolicyQuestion): Ruling[] {
  return Object.entries(tools)
    .filter(([pattern]) => pattern.includes('*') && matchesGlob(pattern, tool))
    .map(([pattern, verdict]) => ruling(verdict, `tools.${pattern}: ${verdict}`))
}

/** A tool's own word replaces the default, but never lifts a default of `never`. */
function toolsOwnWord(policy: Policy, question: PolicyQuestion): Ruling[] {
  if (question.needs_approval === null || policy.default === 'never') return []
  const verdict = question.needs_approval ? 'prompt' : 'auto'
  return [ruling(verdict, `the tool's needsApproval: ${question.needs_approval}`)]
}

function matchesArguments(entry: PolicyRule, question: PolicyQuestion): boolean {
  return Object.entries(entry.match).every(([argument, pattern]) => {
    const { as, among } = reading(question, argument)
    if (entry.policy === 'auto') return as !== null && matchesGlob(pattern, as)
    // `rm *` also means a bare `rm`: what it works on may come from elsewhere.
    return among.some(text => matchesGlob(pattern, text) || matchesGlob(pattern, `${text} `))
  })
}

function reading({ arguments: args, facts }: PolicyQuestion, argument: string): ArgumentReading {
  const seenThrough = Object.hasOwn(facts.readings, argument) ? facts.readings[argument] : undefined
  if (seenThrough) return seenThrough
  if (!Object.hasOwn(args, argument)) return { as: null, among: [] }
  const text = asText(args[argument] ?? null)
  return { as: text, among: [text] }
}

function atLeastAsks(said: Ruling, facts: CallFacts): Ruling {
  if (facts.protected !== null && said.verdict !== 'never')
    return { verdict: 'prompt', rule: facts.protected, binding: true }
  if (facts.unclear !== null && said.verdict === 'auto') return ruling('prompt', facts.unclear)
  return said
}

function strictest(rulings: readonly Ruling[]): Ruling | undefined {
  return rulings.toSorted((a, b) => STRICTNESS[b.verdict] - STRICTNESS[a.verdict])[0]
}

/** True for the words of a ruling by which policy says never. */
export function isNever(ruleInWords: string): boolean {
  return ruleInWords.endsWith(': never')
}

function ruling(verdict: Verdict, text: string): Ruling {
  return { verdict, rule: text, binding: false }
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
