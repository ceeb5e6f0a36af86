import { matchesGlob } from '../../core/policy/glob.ts'
import type { BoxWish } from '../../core/settings/box-wish.ts'
import { withoutStoreSecrets } from '../store/store-location.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What agents are given of the place where they work: which variables commands inherit. */
export interface Passed {
  /** Names, or globs over them; `null` for all. */
  readonly only: readonly string[] | null
  /** Names of variables that commands never inherit. */
  readonly never: readonly string[]
  /** Hosts that `fetch_url` reaches although they are private. Default: none. */
  readonly hosts?: readonly string[]
  /** Of the boxes of its commands. Default: as each box is. */
  readonly box?: BoxWish
}

/** All variables but those of Holdpoint. */
export const PASS_ALL: Passed = { only: null, never: [] }

/**
 * The variables of Holdpoint that are for commands. Any other `HOLDPOINT_*` is for Holdpoint alone: a new secret is kept
 * back without a line here.
 */
const FOR_COMMANDS: ReadonlySet<string> = new Set([
  ...['HOLDPOINT_ACTOR', 'HOLDPOINT_WITHIN', 'HOLDPOINT_COMMAND_IDS', 'HOLDPOINT_IDEMPOTENCY_KEY', 'HOLDPOINT_TASK'],
  'HOLDPOINT_HOST',
  ...['HOLDPOINT_STORE', 'HOLDPOINT_MODEL', 'HOLDPOINT_MODEL_TIMEOUT_MS'],
])

/** The variables without which programs do not work; a project need not name them. */
const USUAL: readonly string[] = [
  ...['HOME', 'LANG', 'LC_*', 'LOGNAME', 'PATH', 'PWD', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'],
  ...[
    'APPDATA',
    'COMSPEC',
    'LOCALAPPDATA',
    'PATHEXT',
    'PROGRAM*',
    'SYSTEMROOT',
    'TEMP',
    'TMP',
    'USERPROFILE',
    'WINDIR',
  ],
]

/** The part of this environment that commands and tasks may inherit. No secret of Holdpoint is in it. */
export function commandEnvironment(environment: Environment, pass: Passed): Environment {
  const kept = Object.entries(withoutStoreSecrets(environment)).filter(([name]) => isPassed(name, pass))
  return Object.fromEntries(kept)
}

/** No person sits at the terminal of such a command, so an editor, a pager or a question of git would wait for ever. */
const UNATTENDED: Readonly<Record<string, string>> = {
  GIT_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
}

/** What commands of agents get in place of `environment`'s own. One that the project passes on by name stays. */
export function unattended(environment: Environment, { only }: Passed): Readonly<Record<string, string>> {
  const isNamed = (name: string) => (only ?? []).some(pattern => matchesGlob(pattern, name))
  const given = Object.entries(UNATTENDED).filter(([name]) => environment[name] === undefined || !isNamed(name))
  return Object.fromEntries(given)
}

/** What commands of agents inherit, and get. */
export function unattendedEnvironment(environment: Environment, pass: Passed): Environment {
  return { ...commandEnvironment(environment, pass), ...unattended(environment, pass) }
}

/** The variables to take away from `environment`, so that only those that pass are left. */
export function withheld(environment: Environment, pass: Passed): Readonly<Record<string, undefined>> {
  const kept = commandEnvironment(environment, pass)
  const others = Object.keys(environment).filter(name => !Object.hasOwn(kept, name))
  return Object.fromEntries(others.map(name => [name, undefined]))
}

function isPassed(name: string, { only, never }: Passed): boolean {
  if (never.includes(name)) return false
  if (/^HOLDPOINT_/i.test(name)) return FOR_COMMANDS.has(name)
  return only === null || [...USUAL, ...only].some(pattern => matchesGlob(pattern, name))
}
