import type { Json, JsonObject } from '../text/json.ts'
import { matchesGlob, matchesWords } from './glob.ts'
import type { CommandReading, Coverage } from './match-command.ts'
import { coverageOfCommand } from './match-options.ts'
import { notRuled, type Unruled } from './not-ruled.ts'

/** What policy says of a call: it runs, a person is asked, or it never runs. */
export type Verdict = 'auto' | 'prompt' | 'never'

/** One rule of a policy about calls of a tool. */
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
  /** Every command that it may turn out to be; restrictive patterns are tried on these too. */
  readonly commands?: readonly CommandReading[]
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
}

/**
 * Why a call is not what its arguments say: a link leads its path elsewhere, or makes its program another one. `null` if
 * no link that the tool knows of does.
 */
export function leadsAstray({ leads_to, readings }: CallFacts): string | null {
  const all = Object.values(readings)
  if (leads_to !== undefined && all.some(({ as }) => as === null)) return `its path leads to ${leads_to}`
  const renamed = all.flatMap(({ commands = [] }) => renamedIn(commands))
  return renamed.length > 0 ? `its program is a link to ${renamed.join(', ')}` : null
}

/** The names of programs that only links give: with the same operands a path stands beside a name that is not its own. */
function renamedIn(commands: readonly CommandReading[]): string[] {
  const programs = Map.groupBy(
    commands.filter(({ words: [program] }) => program?.length === 1),
    ({ words }) => JSON.stringify(words.slice(1)),
  )
  return [...programs.values()].flatMap(among => {
    const names = among.map(({ words: [program] }) => program?.[0] ?? '')
    const own = new Set(names.filter(name => name.includes('/')).flatMap(ownNames))
    return own.size === 0 ? [] : names.filter(name => !own.has(name))
  })
}

function ownNames(path: string): string[] {
  const last = path.slice(path.lastIndexOf('/') + 1)
  // As the reading of commands does, which takes `=x` for `x`.
  const name = last.replace(/^[!=]+(?=.)/, '')
  return [path, name, name.toLowerCase()]
}

export const NO_FACTS: CallFacts = { readings: {}, unclear: null, protected: null }

export interface PolicyQuestion {
  readonly tool: string
  /** A tool that does the same: what restricts that one restricts this one, unless it is named itself. Default: none. */
  readonly same_as?: string
  readonly arguments: JsonObject
  readonly facts: CallFacts
  /** The tool's own word on these arguments; `null` if it has none. If it failed to say: why, in words. */
  readonly needs_approval: boolean | null | Unruled
}

export interface Ruling {
  readonly verdict: Verdict
  /** Which rule said so, in words a person can look up in the policy file. */
  readonly rule: string
  /** True if a run that never asks must not let this pass either. */
  readonly binding: boolean
}

/** A higher number lets less pass. */
export const STRICTNESS: Record<Verdict, number> = { auto: 0, prompt: 1, never: 2 }

/** Rule with a match > exact tool name > tool glob > the tool's own word > default; at equal rank the strictest wins. */
export function rule(policy: Policy, question: PolicyQuestion): Ruling {
  const said = strictest(RANKS.map(rank => rank(policy, question)).find(found => found.length > 0) ?? [])
  const ruling = said ?? { verdict: policy.default, rule: `default: ${policy.default}`, binding: false }
  return atLeastAsks(ruling, question.facts, doubtOn(policy, question))
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
  if (typeof question.needs_approval === 'object') return [ruling('prompt', notRuled(question.needs_approval.because))]
  const verdict = question.needs_approval ? 'prompt' : 'auto'
  return [ruling(verdict, `the tool's needsApproval: ${question.needs_approval}`)]
}

function matchesArguments(entry: PolicyRule, question: PolicyQuestion): boolean {
  if (entry.policy !== 'auto') return coverageBy(entry, question) === 'surely'
  return Object.entries(entry.match).every(([argument, pattern]) => permits(pattern, reading(question, argument)))
}

/** P1: of a command its words count, so that `docs/*` covers one operand and not what is written behind it. */
function permits(pattern: string, { as, commands }: ArgumentReading): boolean {
  if (as === null) return false
  if (commands === undefined) return matchesGlob(pattern, as)
  const literal = commands
    .filter(({ words }) => words.every(pieces => pieces.length === 1))
    .map(({ words }) => words.flat())
  const same = literal.filter(words => words.join(' ') === as)
  return (same.length > 0 ? same : [as.split(' ')]).every(words => matchesWords(pattern, words))
}

/** How surely a restrictive rule covers the call: as surely as the least sure of its patterns. */
function coverageBy({ match }: PolicyRule, question: PolicyQuestion): Coverage {
  const found = Object.entries(match).map(([argument, pattern]) => coverageIn(pattern, reading(question, argument)))
  return found.includes('no') ? 'no' : found.includes('perhaps') ? 'perhaps' : 'surely'
}

function coverageIn(pattern: string, { among, commands = [] }: ArgumentReading): Coverage {
  // `rm *` also means a bare `rm`: its operands may come from elsewhere.
  if (among.some(text => matchesGlob(pattern, text) || matchesGlob(pattern, `${text} `))) return 'surely'
  const found = commands.map(command => coverageOfCommand(pattern, command))
  return found.includes('surely') ? 'surely' : found.includes('perhaps') ? 'perhaps' : 'no'
}

/**
 * Why it cannot be said for certain that no restrictive rule covers the call; `null` if it can. Only rules with a match
 * count: a policy that says the same of all calls of a tool says it of this one too.
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

/** True if a rule permits the command by its program and more: `bash scripts/*` says that these scripts may run. */
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

function atLeastAsks(said: Ruling, { protected: kept, unclear }: CallFacts, doubt: string | null): Ruling {
  if (said.verdict === 'never') return said
  const mustAsk = kept ?? doubt
  if (mustAsk !== null) return { verdict: 'prompt', rule: mustAsk, binding: true }
  return unclear !== null && said.verdict === 'auto' ? ruling('prompt', unclear) : said
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
