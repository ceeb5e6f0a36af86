import { atLeastAsks, boxedOrAsked, pathOrSaid } from '../effect/boxed-rules.ts'
import type { EffectRules } from '../effect/effect-rules.ts'
import type { TouchedPath } from '../effect/touched-files.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { matchesGlob } from './glob.ts'
import type { CommandReading, Coverage } from './match-command.ts'
import { coverageOfCommand } from './match-options.ts'
import { notRuled, type Unruled } from './not-ruled.ts'
import { observedWords } from './observed.ts'
import { type CommandPart, explainParts, ruleText } from './permit-parts.ts'
import { permits } from './permits.ts'

/** The ruling of a policy on a call: it runs, it runs in a box and its effect is ruled on, a person is asked, or it never runs. */
export type Verdict = 'auto' | 'box' | 'prompt' | 'never'

/** One rule of a policy about calls of a tool. */
export interface PolicyRule {
  /** A tool's whole name, or a glob over it. */
  readonly tool: string
  /** Argument name to glob; every one must match. */
  readonly match: Readonly<Record<string, string>>
  readonly policy: Verdict
  /** Calls that the rule may cover want more care of who decides about them. */
  readonly risk?: 'high'
}

/** docs/design/policy.md */
export interface Policy {
  readonly default: Verdict
  readonly tools: Readonly<Record<string, Verdict>>
  readonly rules: readonly PolicyRule[]
  /** The handling of a call that is `never`: ask a person to override, or refuse at once. */
  readonly on_never: 'pause' | 'reject'
  /** A run does not start if a line of the policy does nothing. Default: it warns. */
  readonly strict?: true
  /**
   * Calls about which a person would be asked run, and are reported. `never` still refuses. Default: people are asked.
   */
  readonly mode?: 'observe'
  /** `auto`: commands that only read what lies in the directory of the run need no rule. */
  readonly reads?: 'auto'
  /** What effects need no question, and what no call may touch. Default: every effect is asked about. */
  readonly effects?: EffectRules
}

/** How one argument reads to patterns. */
export interface ArgumentReading {
  /** The one text that a permissive pattern may match; `null` if no pattern may permit it. */
  readonly as: string | null
  /** The beginning of an address, before its path: no star of a permissive pattern goes on from there into the path. */
  readonly origin?: string
  /** The text itself: an identical rule permits it. Left out if the text is not its own meaning. */
  readonly exact?: string
  /** Every text a restrictive pattern is tried on: all that the argument may turn out to do. */
  readonly among: readonly string[]
  /** Every command that it may turn out to be; restrictive patterns are tried on these too. */
  readonly commands?: readonly CommandReading[]
  /** The commands of a line that can be separated for certain: the line may run if each of them may. */
  readonly parts?: readonly CommandPart[] | null
}

/** A tool's reading of one call for policy, with quoting, paths and wrappers seen through. */
export interface CallFacts {
  readonly readings: Readonly<Record<string, ArgumentReading>>
  /** Why a person must look even if the rules permit, for example a command that cannot be parsed. */
  readonly unclear: string | null
  /** Set if the call would write into Holdpoint's own records: then a person must always look, for this reason. */
  readonly protected: string | null
  /** The real place that the arguments lead to, links followed. An approval binds it, and so does the start of the call. */
  readonly leads_to?: string
  /** Of a file tool: rules on effects count for its path, too. */
  readonly touches?: TouchedPath
  /** What the call deletes, or where it leads beyond this machine, a phrase each. Default: nothing is known. */
  readonly reaches?: readonly string[]
  /** Of a tool that can run in a box: `null` if this machine has one, or why it has none. */
  readonly no_box?: string | null
  /** The call asks to run with everything that its process can reach: a person must look. */
  readonly outside?: true
}

export const NO_FACTS: CallFacts = { readings: {}, unclear: null, protected: null }

export interface PolicyQuestion {
  readonly tool: string
  /** A tool that does the same: what restricts that one restricts this one, unless it is named itself. Default: none. */
  readonly same_as?: string
  readonly arguments: JsonObject
  readonly facts: CallFacts
  /** The tool's own ruling on these arguments; `null` if it has none. If it failed: the reason. */
  readonly needs_approval: boolean | null | Unruled
}

export interface Ruling {
  readonly verdict: Verdict
  /** The rule that decided, in words a person can look up in the policy file. */
  readonly rule: string
  /** True if a run that never asks must not let this pass either. */
  readonly binding: boolean
  /** Set if a rule asks for more care. */
  readonly risk?: 'high'
}

/** A higher number lets less pass. */
export const STRICTNESS: Record<Verdict, number> = { auto: 0, box: 1, prompt: 2, never: 3 }

/** Rule with a match > exact tool name > tool glob > the tool's own word > default; at equal rank the strictest wins. */
export function rule(policy: Policy, question: PolicyQuestion): Ruling {
  const said = strictest(RANKS.map(rank => rank(policy, question)).find(rulings => rulings.length > 0) ?? [])
  const own = pathOrSaid(policy, question.facts, said)
  const ruled = boxedOrAsked(policy, question.facts, atLeastAsks(own, question.facts, doubtOn(policy, question)))
  // P1: a write into Holdpoint's own records asks under every policy.
  const isObserved = policy.mode === 'observe' && ruled.verdict === 'prompt' && question.facts.protected === null
  if (isObserved) return { verdict: 'auto', rule: observedWords(ruled.rule), binding: false }
  return isHighRisk(policy, question) ? { ...ruled, risk: 'high' } : ruled
}

function isHighRisk({ rules }: Policy, question: PolicyQuestion): boolean {
  return rules.some(
    entry => entry.risk === 'high' && matchesGlob(entry.tool, question.tool) && coverageBy(entry, question) !== 'no',
  )
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
  const rulings = policy.rules
    .filter(entry => matchesGlob(entry.tool, question.tool) && matchesArguments(entry, question))
    .map(entry => ruling(entry.policy, ruleText(entry)))
  const parts = explainParts(policy, question)
  const isPermitted = parts.length > 0 && parts.every(({ by }) => by !== null)
  return isPermitted ? [...rulings, ruling('auto', [...new Set(parts.map(({ by }) => by))].join('; '))] : rulings
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
  if (typeof question.needs_approval === 'object') return [ruling('prompt', notRuled(question.needs_approval.because))]
  const verdict = question.needs_approval ? 'prompt' : 'auto'
  return [ruling(verdict, `the tool's needsApproval: ${question.needs_approval}`)]
}

function matchesArguments(entry: PolicyRule, question: PolicyQuestion): boolean {
  if (entry.policy !== 'auto') return coverageBy(entry, question) === 'surely'
  return Object.entries(entry.match).every(([argument, pattern]) => permits(pattern, reading(question, argument)))
}

/** How surely a restrictive rule covers the call: as surely as the least sure of its patterns. */
function coverageBy({ match }: PolicyRule, question: PolicyQuestion): Coverage {
  const coverages = Object.entries(match).map(([argument, pattern]) => coverageIn(pattern, reading(question, argument)))
  return coverages.includes('no') ? 'no' : coverages.includes('perhaps') ? 'perhaps' : 'surely'
}

function coverageIn(pattern: string, { among, commands = [] }: ArgumentReading): Coverage {
  // `rm *` also means a bare `rm`: its operands may come from elsewhere.
  if (among.some(text => matchesGlob(pattern, text) || matchesGlob(pattern, `${text} `))) return 'surely'
  const coverages = commands.map(command => coverageOfCommand(pattern, command))
  return coverages.includes('surely') ? 'surely' : coverages.includes('perhaps') ? 'perhaps' : 'no'
}

/**
 * Why it is uncertain that no restrictive rule covers the call; `null` if it is certain. Only rules with a match count:
 * a policy that rules alike on all calls of a tool does so on this one too.
 */
function doubtOn(policy: Policy, question: PolicyQuestion): string | null {
  const { tool, same_as = tool, facts } = question
  const names = new Set([tool, same_as])
  const rules = policy.rules.filter(
    entry => entry.policy !== 'auto' && [...names].some(name => matchesGlob(entry.tool, name)),
  )
  if (rules.length === 0) return null
  if (facts.unclear !== null) return facts.unclear
  if (policy.rules.some(entry => namesCommand(entry, question))) return null
  const perhaps = rules.find(entry => coverageBy(entry, question) === 'perhaps')
  return perhaps ? whyPerhaps(perhaps, question) : null
}

/** True if a rule permits the command by its program and more: `bash scripts/*` permits these scripts. */
function namesCommand(entry: PolicyRule, question: PolicyQuestion): boolean {
  if (entry.policy !== 'auto' || !matchesGlob(entry.tool, question.tool)) return false
  const isNamed = Object.entries(entry.match).some(([argument, pattern]) => {
    const program = reading(question, argument).as?.split(' ', 1)[0]
    return program !== undefined && pattern.startsWith(`${program} `)
  })
  return isNamed && matchesArguments(entry, question)
}

function whyPerhaps({ tool, match }: PolicyRule, question: PolicyQuestion): string {
  const doubts = Object.keys(match).flatMap(argument => reading(question, argument).commands ?? [])
  const why = doubts.find(({ doubt }) => doubt !== null)?.doubt ?? 'it depends on text that is not in the command'
  return `${why}, so rule ${tool} ${JSON.stringify(match)} may cover it`
}

function reading({ arguments: args, facts }: PolicyQuestion, argument: string): ArgumentReading {
  const seenThrough = Object.hasOwn(facts.readings, argument) ? facts.readings[argument] : undefined
  if (seenThrough) return seenThrough
  if (!Object.hasOwn(args, argument)) return { as: null, among: [] }
  const text = asText(args[argument] ?? null)
  return { as: text, among: [text] }
}

function strictest(rulings: readonly Ruling[]): Ruling | undefined {
  return rulings.toSorted((a, b) => STRICTNESS[b.verdict] - STRICTNESS[a.verdict])[0]
}

function ruling(verdict: Verdict, text: string): Ruling {
  return { verdict, rule: text, binding: false }
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
