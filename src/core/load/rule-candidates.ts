/** Rules that may spare people approvals, read off the calls that they approved. Whether one covers a call is for policy to say. */
import type { GrantInput } from '../hold/grant.ts'
import { matchesGlob } from '../policy/glob.ts'
import { canonicalJson, type JsonObject } from '../text/json.ts'

/** A call that people were asked about, and how they answered. */
export interface AskedCall {
  readonly hold_id: string
  readonly arguments: JsonObject
  readonly decided_by: string
  /** ISO time. */
  readonly decided_at: string
  readonly reason: string | null
  readonly isApproved: boolean
}

/** As in a grant: patterns by argument, or `null` for exactly these arguments. */
export interface RuleCandidate {
  readonly match: NonNullable<GrantInput['match']> | null
  readonly arguments: JsonObject | null
}

/** Of a command, a place or an address people say "all like this"; of other arguments they hardly do. */
const OPEN_ARGUMENTS: readonly string[] = ['command', 'path', 'url']
const LONGEST = 200
/** Fewer would be no rule. */
const LEAST = 2

/** Those that may cover several approved calls, the narrowest of the same reach first. */
export function ruleCandidates(calls: readonly AskedCall[]): RuleCandidate[] {
  const approved = calls.filter(({ isApproved }) => isApproved)
  const byKey = new Map<string, { readonly candidate: RuleCandidate; count: number }>()
  for (const { arguments: args } of approved)
    for (const candidate of candidatesOf(args)) {
      const key = canonicalJson({ ...candidate })
      const known = byKey.get(key)
      if (known) known.count += 1
      else byKey.set(key, { candidate, count: 1 })
    }
  return [...byKey.values()].filter(({ count }) => count >= LEAST).map(({ candidate }) => candidate)
}

/** By the text as it is written, which is cheap: policy reads the few calls that are left. */
export function mayCover({ match, arguments: exact }: RuleCandidate, args: JsonObject): boolean {
  if (match === null) return canonicalJson(exact) === canonicalJson(args)
  return Object.entries(match).every(([name, pattern]) => matchesGlob(pattern, String(args[name] ?? '')))
}

function candidatesOf(args: JsonObject): RuleCandidate[] {
  const exact: RuleCandidate[] = [{ match: null, arguments: args }]
  const open = OPEN_ARGUMENTS.flatMap(name => {
    const value = args[name]
    const patterns = typeof value === 'string' && value.length <= LONGEST ? patternsOf(value) : []
    return patterns.map((pattern): RuleCandidate => ({ match: { [name]: pattern }, arguments: null }))
  })
  return [...exact, ...open]
}

/** `git push *` of a command; the directory of a place. `git *` would permit more than anybody was asked. */
function patternsOf(value: string): string[] {
  if (/[*?[\]{}]/.test(value)) return []
  const [program, verb] = value.split(' ')
  if (verb !== undefined) return [`${program} ${verb} *`, `${program} ${verb}*`]
  const directory = value.slice(0, value.lastIndexOf('/'))
  return directory === '' ? [] : [`${directory}/*`]
}
