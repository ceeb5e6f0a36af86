import { statSync } from 'node:fs'

/**
 * The files of an open store as they were found on disk. A file that is deleted takes writes for as long as it is open, and
 * keeps none of them.
 */
export class OpenedFiles {
  readonly #path: string | null
  readonly #found = new Map<string, string>()
  #areReplaced = false

  constructor(path: string) {
    this.#path = path === ':memory:' ? null : path
    if (this.#path !== null) this.#note(this.#path)
  }

  /**
   * To be called once this connection has read or written. Until then the log may be that of another one, which deletes
   * it when it closes.
   */
  noteLog(): void {
    if (this.#path !== null) this.#note(`${this.#path}-wal`)
  }

  /** True from the first look on that found one of them deleted, or another file in its place. */
  get areReplaced(): boolean {
    return this.#areReplaced
  }

  look(): boolean {
    for (const [path, before] of this.#found) this.#areReplaced ||= identityOf(path) !== before
    return this.#areReplaced
  }

  #note(path: string): void {
    const found = identityOf(path)
    if (found !== null) this.#found.set(path, found)
  }
}

/** `null` if there is no such file, or if the system does not say: then it is seen as gone only if it was there before. */
function identityOf(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? null : `${found.dev}:${found.ino}`
}
