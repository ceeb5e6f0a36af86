import { type Stats, statSync } from 'node:fs'

/**
 * The files of an open store as they were found on disk. A file that is deleted takes writes for as long as it is open, and
 * keeps none of them.
 */
export class OpenedFiles {
  readonly #path: string | null
  readonly #found = new Map<string, Stats>()
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
    for (const [path, before] of this.#found) this.#areReplaced ||= !isSame(before, found(path))
    return this.#areReplaced
  }

  /** A file that is not there, or of which the system does not say, is seen as gone only if it was there before. */
  #note(path: string): void {
    const there = found(path)
    if (there !== undefined) this.#found.set(path, there)
  }
}

function found(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}

function isSame(before: Stats, now: Stats | undefined): boolean {
  return now !== undefined && now.ino === before.ino && now.dev === before.dev
}
