/**
 * A bundle's file, used once. Keeps: of several processes on one file system one uses it, as each begins by renaming it;
 * a process that died with it leaves it to the next one that imports into the same store.
 */

import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { messageOf, type RefusedError } from '../../core/errors.ts'
import type { Liveness } from '../../ports/process/liveness.ts'
import { readText } from '../process/read-text.ts'
import { projectRefusals } from '../refusals/project-refusals.ts'

const USED = '.resumed'
const IN_USE = /^\.resuming-([0-9a-f]{12})-(.+)$/

export interface BundleUser {
  readonly liveness: Pick<Liveness, 'self' | 'isGone'>
  /** The store of the import, in full. */
  readonly store: string
}

export class BundleFile {
  /** The path as the caller named it. */
  readonly path: string
  /** True if a process died while it used the file: its run may have been imported already. */
  readonly wasLeft: boolean
  readonly #mark: string
  #now: string

  private constructor(path: string, now: string, mark: string) {
    this.path = path
    this.wasLeft = now !== path
    this.#now = now
    this.#mark = mark
  }

  /** `null` if there is no such file, and never was. @throws RefusedError `bundle_in_use` or `already_imported` */
  static find(path: string, { liveness, store }: BundleUser): BundleFile | null {
    const place = hash('sha256', store, 'hex').slice(0, PLACE_LENGTH)
    const mark = `.resuming-${place}-${encodeURIComponent(liveness.self)}`
    if (isFile(path)) return new BundleFile(path, path, mark)
    const [left] = inUse(path)
    if (left?.place === place && liveness.isGone(left.owner)) return new BundleFile(path, left.path, mark)
    if (left) throw beingUsed(path, left)
    if (isFile(path + USED)) throw used(path)
    return null
  }

  async read(): Promise<string> {
    return readText(this.#now, 'The bundle')
  }

  /** From here on it is this process's alone. @throws RefusedError `bundle_in_use` or `unmarkable_bundle` */
  take(): void {
    this.#become(this.path + this.#mark)
  }

  /** Undoes the claim, because the file was not used after all. */
  giveBack(): void {
    this.#become(this.path)
  }

  /** Renames the file, so that it is not used again. */
  markUsed(): string {
    this.#become(this.path + USED)
    return this.#now
  }

  #become(next: string): void {
    try {
      renameSync(this.#now, next)
      this.#now = next
    } catch (cause) {
      const isGone = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
      throw isGone
        ? beingUsed(this.path, { path: next, owner: 'another process', place: '' })
        : projectRefusals.unmarkable(this.path, messageOf(cause), cause)
    }
  }
}

const PLACE_LENGTH = 12

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

interface Use {
  readonly path: string
  /** Names the store that it is imported into. */
  readonly place: string
  readonly owner: string
}

function inUse(path: string): Use[] {
  const [directory, name] = [dirname(path), basename(path)]
  if (!existsSync(directory)) return []
  return readdirSync(directory).flatMap(file => {
    const [, place, owner] = (file.startsWith(name) && IN_USE.exec(file.slice(name.length))) || []
    if (place === undefined || owner === undefined) return []
    return [{ path: join(directory, file), place, owner: decodeURIComponent(owner) }]
  })
}

function beingUsed(path: string, { path: now, owner }: Use): RefusedError {
  return projectRefusals.beingUsed(path, owner, now)
}

function used(path: string): RefusedError {
  const checkpoint_id = checkpointIn(path + USED)
  return projectRefusals.alreadyImported(path, USED, checkpoint_id ?? 'CHECKPOINT', checkpoint_id)
}

/** The header is readable even if the rest is encrypted. */
function checkpointIn(path: string): string | null {
  const [, id] = /"checkpoint_id":"(cp_[0-9a-z]+)"/.exec(readFileSync(path, 'utf8').split('\n', 1)[0] ?? '') ?? []
  return id ?? null
}
