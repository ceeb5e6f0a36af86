/** What no command sees: Holdpoint's records, keys, and what the policy says never to. */
import { type Dirent, lstatSync, realpathSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { monotonicMs } from '../../../async/monotonic.ts'
import { isLeftOut } from '../../../core/effect/touched-files.ts'
import { ToolError } from '../../../core/errors.ts'
import { PROTECTED } from '../../read-command/files/links-to-records.ts'

export interface Hidden {
  readonly path: string
  readonly kind: 'file' | 'directory'
}

interface Sought {
  readonly workdir: string
  /** Globs below the directory. */
  readonly never: readonly string[]
}

/** Directories in which nobody looks for records and for what the policy names. */
const PASSED_BY: ReadonlySet<string> = new Set(['node_modules', '.git', '__pycache__'])
const MOST_DIRECTORIES = 50_000
/** For so long a walk counts. */
const FRESH_MS = 3_000

const walks = new Map<string, { readonly at: number; readonly found: Promise<readonly Hidden[]> }>()

/** Records of any project below the directory, and files that `never` covers. */
export function hiddenBelow(sought: Sought): Promise<readonly Hidden[]> {
  const key = JSON.stringify(sought)
  const known = walks.get(key)
  if (known && monotonicMs() - known.at < FRESH_MS) return known.found
  const found = walk(sought)
  walks.set(key, { at: monotonicMs(), found })
  return found
}

async function walk(sought: Sought): Promise<readonly Hidden[]> {
  const found: Hidden[] = []
  const queue = [sought.workdir]
  for (let at = 0; at < queue.length && at < MOST_DIRECTORIES; at++) {
    const { hidden, below } = await lookIn(queue[at] as string, sought)
    found.push(...hidden)
    queue.push(...below)
  }
  if (queue.length > MOST_DIRECTORIES)
    throw new ToolError(
      'BOX_TOO_LARGE',
      `The directory has more than ${MOST_DIRECTORIES} directories, so nobody can say what a command would see in a box.`,
    )
  // Hooks of git lie in a directory that is passed by.
  const inGit = ['.git/hooks', '.git/config'].filter(path => covers(sought.never, path, false))
  return [...found, ...inGit.flatMap(path => hiddenAt(join(sought.workdir, path)))]
}

interface Looked {
  readonly hidden: readonly Hidden[]
  readonly below: readonly string[]
}

async function lookIn(directory: string, { workdir, never }: Sought): Promise<Looked> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  const isHidden = (entry: Dirent) =>
    entry.name === PROTECTED || covers(never, relative(workdir, join(directory, entry.name)), entry.isDirectory())
  const [hidden, seen] = [entries.filter(isHidden), entries.filter(entry => !isHidden(entry))]
  const below = seen.filter(entry => entry.isDirectory() && !PASSED_BY.has(entry.name))
  return {
    hidden: hidden.flatMap(({ name }) => hiddenAt(join(directory, name))),
    below: below.map(({ name }) => join(directory, name)),
  }
}

function covers(never: readonly string[], path: string, isDirectory: boolean): boolean {
  return isLeftOut(never, path.split(sep).join('/'), isDirectory)
}

export function hiddenKeys(keys: readonly string[], home: string): readonly Hidden[] {
  return keys.flatMap(key => hiddenAt(resolve(home, key)))
}

/** A store with all that is written beside it. */
export function hiddenStore(path: string | null): readonly Hidden[] {
  if (path === null) return []
  return ['', '-wal', '-shm', '-journal'].map(end => `${path}${end}`).flatMap(hiddenAt)
}

/** A link is covered where it leads. */
export function hiddenAt(path: string): readonly Hidden[] {
  try {
    const real = realpathSync(path)
    return [{ path: real, kind: lstatSync(real).isDirectory() ? 'directory' : 'file' }]
  } catch {
    return []
  }
}

export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
}
