import { RefusedError } from '../../core/errors.ts'

/** The variable that names the store to a process: set by the user, or for an agent's own process. */
const STORE = 'HOLDPOINT_STORE'
/**
 * Names the store to a supervisor alone. Its command inherits HOLDPOINT_STORE from it, and must not inherit a password.
 */
const SUPERVISOR_STORE = 'HOLDPOINT_SUPERVISOR_STORE'

/** The file of a store that has no other name. */
const USUAL_FILE = 'holdpoint.db'

type Environment = Readonly<Record<string, string | undefined>>

/** The part of a child's arguments and environment by which it opens the store. A password is in no argument. */
export interface StoreHandOver {
  readonly argv: readonly string[]
  readonly environment: Environment
}

/** The location of a store: its name for people, the way for another process to open it, and the path of its files. */
export class StoreLocation {
  readonly scheme: string
  /** The URL without its password, for people, hints and logs. */
  readonly display: string
  /** The URL for a command to copy: `PASSWORD` replaces each password. */
  readonly commandUrl: string
  /** The file of the store; `null` if it is no file. The names of its runtime files derive from it. */
  readonly file: string | null
  /** Private, so that neither a log nor the JSON of this value shows it. */
  readonly #url: string

  /**
   * @param url as in `--store`, with an absolute path if another process is to open it.
   * @throws RefusedError `unknown_store` for a NUL character: SQLite and the file system read a name up to it.
   */
  constructor(url: string) {
    if (url.includes('\0'))
      throw new RefusedError('unknown_store', 'The URL of the store has a NUL character in it.', {
        hint: 'Use sqlite:PATH (for example sqlite:.holdpoint/holdpoint.db).',
      })
    this.#url = url
    this.scheme = url.slice(0, Math.max(url.indexOf(':'), 0))
    const isFile = this.scheme === 'sqlite'
    this.file = (isFile && url.slice('sqlite:'.length)) || null
    this.display = isFile ? url : withoutSecrets(url, null)
    this.commandUrl = isFile ? url : withoutSecrets(url, 'PASSWORD')
  }

  get hasSecret(): boolean {
    return this.display !== this.#url
  }

  /**
   * The directory of tasks' output; `null` if the store has no files. It is next to the store that knows the tasks, and
   * belongs to no other store, so output of unknown tasks can be removed.
   */
  get tasksDirectory(): string | null {
    if (this.file === null) return null
    const at = this.file.lastIndexOf('/') + 1
    const name = this.file.slice(at)
    return this.file.slice(0, at) + (name === USUAL_FILE ? 'tasks' : `${name}-tasks`)
  }

  /** Opens the store in a child process of `holdpoint`. */
  get handOver(): StoreHandOver {
    return this.#handOver(STORE)
  }

  /** Opens the store in the supervisor of a task. */
  get supervisorHandOver(): StoreHandOver {
    return this.#handOver(SUPERVISOR_STORE)
  }

  #handOver(variable: string): StoreHandOver {
    return this.hasSecret
      ? { argv: [], environment: { [variable]: this.#url } }
      : { argv: ['--store', this.#url], environment: {} }
  }
}

/** The store of a supervisor's process. */
export function supervisedStore(argv: readonly string[], environment: Environment): string {
  const at = argv.indexOf('--store')
  return (at === -1 ? environment[SUPERVISOR_STORE] : argv[at + 1]) ?? ''
}

/** The environment for commands: without the store of a supervisor, and without a store's URL that has a password. */
export function withoutStoreSecrets(environment: Environment): Environment {
  const { [SUPERVISOR_STORE]: _, [STORE]: url, ...others } = environment
  return url === undefined || new StoreLocation(url).hasSecret ? others : { ...others, [STORE]: url }
}

/** The environment without the variable that only a supervisor may know. */
export function withoutSupervisorStore({ [SUPERVISOR_STORE]: _, ...environment }: Environment): Environment {
  return environment
}

const SECRET_PARAMETER = /pass|pwd|secret|token/i

/** Replaces each secret by `instead`; `null` leaves it out. */
function withoutSecrets(url: string, instead: string | null): string {
  const [start = ''] = /^[^:]*:(\/\/)?/.exec(url) ?? []
  const rest = url.slice(start.length)
  // Up to the last @: a password may hold any character, if its author encoded none.
  const at = rest.lastIndexOf('@')
  const user = rest.slice(0, Math.max(at, 0))
  const colon = user.indexOf(':')
  const password = instead === null ? '' : `:${instead}`
  const shown = colon === -1 ? rest : user.slice(0, colon) + password + rest.slice(at)
  return start + withoutSecretParameters(shown, instead)
}

function withoutSecretParameters(url: string, instead: string | null): string {
  const [path = '', ...query] = url.split('?')
  if (query.length === 0) return url
  const kept = query
    .join('?')
    .split('&')
    .flatMap(pair => {
      const [name = ''] = pair.split('=')
      if (!SECRET_PARAMETER.test(name)) return [pair]
      return instead === null ? [] : [`${name}=${instead}`]
    })
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`
}
