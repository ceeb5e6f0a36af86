import { statSync } from 'node:fs'

/**
 * The files of an open store as they were found on disk. A file that is deleted takes writes for as long as it is open, and
 * keeps none of them.
 */
export class OpenedFiles {
  readonly #paths: readonly string[]
  readonly #found = new Map<string, string>()
  #areReplaced = false

  /** To be made once the store is open; the log beside it may come later. */
  constructor(path: string) {
    this.#paths = path === ':memory:' ? [] : [path, `${path}-wal`]
    this.look()
  }

  /** True from the first look on that found one of them deleted, or another file in its place. */
  get areReplaced(): boolean {
    return this.#areReplaced
  }

  look(): boolean {
    for (const path of this.#paths) this.#areReplaced ||= this.#isReplaced(path)
    return this.#areReplaced
  }

  #isReplaced(path: string): boolean {
    const before = this.#found.get(path)
    const now = identityOf(path)
    if (before !== undefined) return now !== before
    if (now !== null) this.#found.set(path, now)
    return false
  }
}

/** `null` if there is no such file, or if the system does not say: then it is seen as gone only if it was there before. */
function identityOf(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? null : `${found.dev}:${found.ino}`
}
