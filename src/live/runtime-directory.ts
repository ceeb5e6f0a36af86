/**
 * The directory of the sockets of one store.
 * D1  Only this user can have prepared it: a link, another owner, or a right of others refuses it. It is never repaired.
 * D2  Its parent is the system's for this user, or a shared one in which only owners may remove (the sticky bit).
 */
import { existsSync } from 'node:fs'
import { lstat, mkdir, readdir, realpath, rmdir, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { HoldpointError } from '../core/errors.ts'

/** Longer paths of sockets are cut by the system without a word. */
const LONGEST_PATH = 103
const SOCKET_NAME = /^[0-9a-f]{8}$/
const GROUP_OR_OTHERS = 0o077
const WRITABLE_BY_OTHERS = 0o022
const STICKY = 0o1000

/** The directory in place may belong to another user. It was not touched. */
export class RuntimeDirectoryError extends HoldpointError {
  readonly code = 'runtime_directory_refused'

  constructor(path: string, problem: string) {
    super(
      `No socket is opened: ${path} ${problem}. Other processes see text only once it is stored, and none attaches.`,
      {
        hint: 'Remove it if it is yours, or set XDG_RUNTIME_DIR to a directory that only you can enter.',
      },
    )
  }
}

export interface RuntimePlace {
  /** `XDG_RUNTIME_DIR`, if there is one. */
  readonly runtimeDirectory: string | undefined
  /** A digest that names the store. */
  readonly store: string
  readonly uid: number
  /** Sockets of followers, or of the processes of agents. */
  readonly sockets: 'live' | 'agents'
}

/** False if no process of this user follows: the one look that each process pays for. */
export function mayHaveSockets({ runtimeDirectory, uid }: Pick<RuntimePlace, 'runtimeDirectory' | 'uid'>): boolean {
  return existsSync(join(...directoryOf(runtimeDirectory, uid), 'live'))
}

function directoryOf(runtimeDirectory: string | undefined, uid: number): [parent: string, name: string] {
  return runtimeDirectory ? [runtimeDirectory, 'holdpoint'] : [tmpdir(), `holdpoint-${uid}`]
}

export class RuntimeDirectory {
  readonly #place: RuntimePlace

  constructor(place: RuntimePlace) {
    this.#place = place
  }

  /** If it is missing, makes it. @throws RuntimeDirectoryError that names the directory which cannot be used */
  async make(): Promise<string> {
    try {
      // The last follower of another store removes what is empty.
      return await this.#make().catch(thrown => {
        unless('ENOENT')(thrown)
        return this.#make()
      })
    } catch (thrown) {
      const { path, code } = thrown as NodeJS.ErrnoException
      throw path === undefined ? thrown : new RuntimeDirectoryError(path, `cannot be used (${code})`)
    }
  }

  async #make(): Promise<string> {
    const { parent, levels } = await this.#levels()
    let path = parent
    for (const level of levels) {
      path = join(path, level)
      await mkdir(path, { mode: 0o700 }).catch(unless('EEXIST'))
      await this.#refuseForeign(path)
    }
    if (path.length + 9 > LONGEST_PATH) throw new RuntimeDirectoryError(path, 'has too long a name for a socket')
    return path
  }

  /** The sockets in it; `null` if there is no directory. @throws RuntimeDirectoryError */
  async sockets(): Promise<{ readonly path: string; readonly names: readonly string[] } | null> {
    try {
      const { parent, levels } = await this.#levels()
      let path = parent
      for (const level of levels) {
        path = join(path, level)
        await this.#refuseForeign(path)
      }
      return { path, names: (await readdir(path)).filter(name => SOCKET_NAME.test(name)) }
    } catch (thrown) {
      unless('ENOENT')(thrown)
      return null
    }
  }

  /** Removes the directory if it is empty, and then the one around it: without followers, no process looks for sockets. */
  async remove(path: string): Promise<void> {
    for (const each of [path, dirname(path)]) await rmdir(each).catch(() => {})
  }

  /** The parent may be reached by a link of the system, as `/tmp` is on some. @throws RuntimeDirectoryError */
  async #levels(): Promise<{ readonly parent: string; readonly levels: readonly string[] }> {
    const { runtimeDirectory, store, uid, sockets } = this.#place
    const [above, name] = directoryOf(runtimeDirectory, uid)
    const parent = await realpath(above)
    const found = await stat(parent)
    const { mode, uid: owner } = found
    if (!found.isDirectory()) throw new RuntimeDirectoryError(parent, 'is no directory')
    if (owner !== uid && owner !== 0) throw new RuntimeDirectoryError(parent, 'belongs to another user')
    if ((mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0)
      throw new RuntimeDirectoryError(parent, 'can be changed by other users')
    return { parent, levels: [name, sockets, store] }
  }

  async #refuseForeign(path: string): Promise<void> {
    const found = await lstat(path)
    if (found.isSymbolicLink()) throw new RuntimeDirectoryError(path, 'is a link')
    if (!found.isDirectory()) throw new RuntimeDirectoryError(path, 'is no directory')
    if (found.uid !== this.#place.uid) throw new RuntimeDirectoryError(path, 'belongs to another user')
    if ((found.mode & GROUP_OR_OTHERS) !== 0) throw new RuntimeDirectoryError(path, 'can be entered by other users')
  }
}

function unless(code: string): (thrown: unknown) => void {
  return thrown => {
    if ((thrown as NodeJS.ErrnoException).code !== code) throw thrown
  }
}

/** A socket is made with the rights that the umask leaves, from its first moment. */
export function privately(make: () => void): void {
  let before: number | null = null
  try {
    before = process.umask(0o177)
  } catch {
    // Threads of a worker cannot: the directory alone keeps others out.
  }
  try {
    make()
  } finally {
    if (before !== null) process.umask(before)
  }
}
