import { matchesGlob } from '../glob.ts'
import { type Policy, STRICTNESS } from '../policy.ts'
import { type KnownTools, linesOf, type PolicyLine, type PolicyRemark } from './remark.ts'
import { toolsOf, unknownTool } from './unknown-tools.ts'
import { unmatchedArguments } from './unmatched-arguments.ts'
import { widePattern } from './wide-patterns.ts'
import { wideSearch } from './wide-search.ts'

/**
 * Every remark on a policy by its text, in the order of its lines. One remark on each line: the first fault hides the
 * others.
 */
export function policyRemarks(policy: Policy, known: KnownTools): readonly PolicyRemark[] {
  const unreachable = Map.groupBy(unreachableLines(policy, known), ({ place }) => place)
  return linesOf(policy).flatMap(line => {
    const remarks = [
      unknownTool(line, known),
      ...unmatchedArguments(line, known),
      ...(unreachable.get(line.place) ?? []),
      widePattern(line, known),
      wideSearch(line, policy),
    ]
    return remarks.find(remark => remark !== null) ?? []
  })
}

/** Lines that no call reaches, because another line always outranks them. */
function unreachableLines(policy: Policy, known: KnownTools): readonly PolicyRemark[] {
  const lines = linesOf(policy)
  return lines.flatMap((line, at) => {
    const before = lines.find((other, place) => place !== at && shadows(other, line, known))
    return before ? [shadowed(line, before)] : []
  })
}

function shadowed(line: PolicyLine, before: PolicyLine): PolicyRemark {
  return {
    ...{ code: 'unreachable', place: line.place },
    message: `${told(line)} never counts: ${before.place}, ${told(before)}, covers each such call and goes first.`,
    hint: `Remove one of them, or make ${before.place} narrower.`,
  }
}

/** `auto for {"command":"git status*"}`. */
function told({ verdict, tool, match }: PolicyLine): string {
  return `${verdict} for ${match === null ? tool : JSON.stringify(match)}`
}

/** Ranks like `rule`: a rule with a match, an exact name, a glob over names. */
function shadows(other: PolicyLine, line: PolicyLine, known: KnownTools): boolean {
  if (other.verdict === line.verdict) return false
  if (line.match !== null) return isStricter(other, line) && coversRule(other, line)
  if (other.match !== null) return coversRule(other, { ...line, match: {} }) && coversAll(other)
  return isGlob(line) && isNamedOneByOne(line, other, known)
}

function isStricter(one: PolicyLine, other: PolicyLine): boolean {
  return STRICTNESS[one.verdict] > STRICTNESS[other.verdict]
}

/** At equal rank the strictest wins, so a milder and narrower line never counts. */
function coversRule(wide: PolicyLine, narrow: PolicyLine): boolean {
  if (wide.match === null || !matchesGlob(wide.tool, narrow.tool)) return false
  return Object.entries(wide.match).every(([argument, pattern]) => {
    const other = narrow.match?.[argument]
    // A star of the narrow pattern is text that only a star of the wide one covers.
    return other === undefined ? pattern === '*' : matchesGlob(pattern, other) || matchesGlob(pattern, `${other} `)
  })
}

/** A restrictive rule whose every pattern is a star. A permissive one still leaves what cannot be read. */
function coversAll({ match, verdict }: PolicyLine): boolean {
  return verdict !== 'auto' && Object.values(match ?? {}).every(pattern => pattern === '*')
}

function isGlob({ tool }: PolicyLine): boolean {
  return tool.includes('*')
}

/** A glob over one tool that also has a line of its own. */
function isNamedOneByOne(glob: PolicyLine, exact: PolicyLine, known: KnownTools): boolean {
  if (isGlob(exact) || !known.isComplete || known.prefixes.length > 0) return false
  const tools = toolsOf(glob, known)
  return tools.length === 1 && tools[0]?.name === exact.tool
}
