import type { Effect, FileChange } from './effect.ts'
import { pathGlobs } from './path-glob.ts'

/** What the effects of commands may be, and what file tools may reach. Paths are globs as in `.gitignore`. */
export interface EffectRules {
  /** What may be created and changed without a question. */
  readonly write: readonly string[]
  /** What may be deleted without a question. */
  readonly delete: readonly string[]
  /** What is never changed, and not there for commands in a box. */
  readonly never: readonly string[]
  /** `name[:port]`: what commands in a box may connect to; `!name` is refused without a question. */
  readonly hosts: readonly string[]
  /** `commit`: the history and the index of git may be written without a question. Its hooks and settings never. */
  readonly git: 'commit' | 'ask'
  /** `rerun`: a command whose files changed meanwhile runs again, and is asked about only if its effect is another one. */
  readonly drift: 'ask' | 'rerun'
}

/** Without rules each effect is asked about. */
export const NO_EFFECT_RULES: EffectRules = { write: [], delete: [], never: [], hosts: [], git: 'ask', drift: 'ask' }

export type EffectRuling =
  | { readonly verdict: 'auto' }
  | { readonly verdict: 'prompt' | 'never'; readonly because: string; readonly paths: readonly string[] }

type Verdict = EffectRuling['verdict']

const MOST_NAMED = 3

/** The strictest ruling on its changes. */
export function ruleEffect(rules: EffectRules, { changes, left_out }: Effect): EffectRuling {
  const covered = parentsOf(changes.filter(change => change.after !== null))
  const verdicts = changes.map(change => ({ change, ...ruleChange(rules, change, covered) }))
  for (const verdict of ['never', 'prompt'] as const) {
    const found = verdicts.filter(each => each.verdict === verdict)
    if (found.length === 0) continue
    const reasons = [...Map.groupBy(found, ({ because }) => because)]
    const because = reasons.map(([why, each]) => becauseOf(why, each.map(pathOf))).join('; ')
    return { verdict, because, paths: found.map(pathOf) }
  }
  if (left_out.length === 0) return { verdict: 'auto' }
  return { verdict: 'prompt', because: becauseOf('it makes devices, sockets or pipes', left_out), paths: left_out }
}

function pathOf({ change }: { readonly change: FileChange }): string {
  return change.path
}

function becauseOf(why: string, paths: readonly string[]): string {
  const named = paths.slice(0, MOST_NAMED).join(', ')
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : ''
  return `${why} (${named}${more})`
}

interface ChangeRuling {
  readonly verdict: Verdict
  readonly because: string
}

const PASSES: ChangeRuling = { verdict: 'auto', because: '' }
const SET_ID = 0o6000

type Check = (rules: EffectRules, change: FileChange, covered: ReadonlySet<string>) => ChangeRuling | null

/** The first that has a word on a change rules on it. */
const CHECKS: readonly Check[] = [
  (rules, { path }) => (isNever(rules, path) ? never('effects.never covers what it changes') : null),
  (rules, { leads_to }) =>
    leads_to !== undefined && isNever(rules, leads_to) ? never('it makes a link to what effects.never covers') : null,
  (_, { path }) => (isInGit(path) && !isHistory(path) ? asks('it changes hooks or settings of git') : null),
  (rules, { path }) => (isInGit(path) && rules.git === 'commit' ? PASSES : null),
  (_, { path, after }) =>
    after !== null && /(?:^|\/)HEAD$/.test(path) ? asks('it makes a directory that git takes for a repository') : null,
  (_, { leads_to }) => (leads_to?.startsWith('/') ? asks('it makes a link that leads out of the directory') : null),
  (_, { after }) => (((after?.mode ?? 0) & SET_ID) === 0 ? null : asks('it gives a file the rights of its owner')),
  (rules, change) =>
    change.after !== null || mayDelete(rules, change) ? null : asks('it deletes what effects.delete does not cover'),
  (rules, change, covered) =>
    change.after === null || mayWrite(rules, change, covered)
      ? null
      : asks('it changes what effects.write does not cover'),
]

function ruleChange(rules: EffectRules, change: FileChange, covered: ReadonlySet<string>): ChangeRuling {
  for (const check of CHECKS) {
    const found = check(rules, change, covered)
    if (found) return found
  }
  return PASSES
}

function asks(because: string): ChangeRuling {
  return { verdict: 'prompt', because }
}

function never(because: string): ChangeRuling {
  return { verdict: 'never', because }
}

/** P1: no effect reaches Holdpoint's own records. */
export function isNever({ never }: Pick<EffectRules, 'never'>, path: string): boolean {
  return /(?:^|\/)\.holdpoint(?:\/|$)/.test(path) || pathGlobs(never).matches(path)
}

function mayDelete(rules: EffectRules, { path, before }: FileChange): boolean {
  return coversPlace(rules.delete, path, before?.kind === 'directory')
}

/** A directory in which something permitted is written needs no rule of its own. */
function mayWrite(rules: EffectRules, change: FileChange, covered: ReadonlySet<string>): boolean {
  const isDirectory = change.after?.kind === 'directory'
  if (coversPlace(rules.write, change.path, isDirectory)) return true
  return isDirectory && change.before === null && covered.has(change.path)
}

function coversPlace(patterns: readonly string[], path: string, isDirectory: boolean): boolean {
  const globs = pathGlobs(patterns)
  return globs.matches(path) || (isDirectory && globs.matches(`${path}/a`))
}

function parentsOf(changes: readonly FileChange[]): ReadonlySet<string> {
  const parents = new Set<string>()
  for (const { path } of changes) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const parent = path.slice(0, at)
      if (parents.has(parent)) break
      parents.add(parent)
    }
  }
  return parents
}

export function isInGit(path: string): boolean {
  return /(?:^|\/)\.git(?:\/|$)/.test(path)
}

/** The history and the index. Anything else may run programs, or send git elsewhere. */
function isHistory(path: string): boolean {
  return HISTORY.test(path) && !/\/objects\/info\//.test(path)
}

const HISTORY =
  /(?:^|\/)\.git\/(?:(?:modules|worktrees)\/[^/]+\/)*(?:(?:objects|refs|logs)(?:\/|$)|(?:index|HEAD|[A-Z]+_HEAD|packed-refs|COMMIT_EDITMSG|MERGE_MSG|MERGE_MODE|SQUASH_MSG|shallow)$)/
