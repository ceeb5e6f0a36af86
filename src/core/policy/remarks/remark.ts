import type { JsonObject } from '../../text/json.ts'
import type { Policy, Verdict } from '../policy.ts'

/** A fault of a line of a policy. */
export type RemarkCode =
  /** No tool has the name. */
  | 'unknown_tool'
  /** The line is written in the syntax of another product. */
  | 'foreign_syntax'
  /** The tool has no such argument. */
  | 'unknown_argument'
  /** No call can have such an argument, or none is read so. */
  | 'never_matches'
  /** Another line outranks it for every call. */
  | 'unreachable'
  /** The line permits more than it seems to. */
  | 'passes_more'

/** A line of a policy that does not do what it seems to do. */
export interface PolicyRemark {
  readonly code: RemarkCode
  /** The line, as a path into the policy: `tools.run_comand`, `rules.3`. */
  readonly place: string
  /** The fault, and what it means. */
  readonly message: string
  /** The line to write instead, as far as it can be guessed. */
  readonly hint: string
  /** A command that a too wide line permits. */
  readonly example?: string
}

/** True if the line does nothing, so that a policy under `strict` is refused. A wide line still has its effect. */
export function isDead({ code }: PolicyRemark): boolean {
  return code !== 'passes_more'
}

/** A tool, as far as rules can be about it. */
export interface KnownTool {
  readonly name: string
  readonly sameAs?: string
  readonly destructive: boolean
  readonly inputSchema: JsonObject
}

/** The tools that a policy may be about. */
export interface KnownTools {
  readonly tools: readonly KnownTool[]
  /** How the names of tools begin that are not listed: those of servers that were not asked. */
  readonly prefixes: readonly string[]
  /** False if agents elsewhere may define tools of other names: then only a name near to a known one is reported. */
  readonly isComplete: boolean
}

/** One line of a policy, from any of its sections. */
export interface PolicyLine {
  readonly place: string
  /** A whole name, or a glob over names. */
  readonly tool: string
  /** `null` if the line is about every call. */
  readonly match: Readonly<Record<string, string>> | null
  readonly verdict: Verdict
}

export function linesOf({ tools, rules }: Policy): readonly PolicyLine[] {
  return [
    ...Object.entries(tools).map(([tool, verdict]) => ({ place: `tools.${tool}`, tool, match: null, verdict })),
    ...rules.map(({ tool, match, policy }, at) => ({ place: `rules.${at}`, tool, match, verdict: policy })),
  ]
}

/** The effect that a line fails to have if it covers no call. */
export const DOES_NOTHING: Record<Verdict, string> = {
  auto: 'it permits nothing',
  box: 'it boxes nothing',
  prompt: 'it asks about nothing',
  never: 'it forbids nothing',
}
