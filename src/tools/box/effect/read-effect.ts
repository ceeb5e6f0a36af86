/** What a command changed in its overlay, with the digests of what was there before. */
import { createHash } from 'node:crypto'
import { type BigIntStats, createReadStream, lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { lstat as statOf } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Effect, EntryState, FileChange } from '../../../core/effect/effect.ts'
import { isSameState } from '../../../core/effect/effect.ts'
import { whereLinkLeads } from '../mounts/where-link-leads.ts'
import { entriesOf, nameOf } from './entry-names.ts'

export interface Scanned {
  readonly effect: Effect
  /** What changed beneath the overlay while the command ran: the effect is not that of one state of the directory. */
  readonly moved: readonly string[]
}

export interface Sides {
  readonly workdir: string
  readonly upper: string
  /** The view of both, as another process has it mounted. */
  readonly view: string
  /** The time of the file system when the box began, in nanoseconds. */
  readonly since: bigint
}

/** Read at once; a longer file is read piece by piece. */
const SMALL_FILE = 1024 * 1024
/** After so many entries, others of this process have their turn. */
const TURN_AFTER = 200

export async function readEffect(sides: Sides): Promise<Scanned> {
  const reading = new Reading(sides)
  await reading.walk('')
  const changes = reading.changes.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  return { effect: { changes, left_out: reading.leftOut.toSorted() }, moved: reading.moved }
}

class Reading {
  readonly changes: FileChange[] = []
  readonly leftOut: string[] = []
  readonly moved: string[] = []
  readonly #sides: Sides
  #count = 0

  constructor(sides: Sides) {
    this.#sides = sides
  }

  /** Looks at all that the upper directory has below `path`, and at all that is gone there. */
  async walk(path: string): Promise<void> {
    const { upper, workdir, view } = this.#sides
    const above = new Set(entriesOf(join(upper, path)))
    const full = (entry: string) => (path === '' ? nameOf(entry) : `${path}/${nameOf(entry)}`)
    for (const entry of above) await this.#entry(full(entry))
    const now = new Set(entriesOf(join(view, path)))
    for (const entry of entriesOf(join(workdir, path)))
      if (!now.has(entry) && !above.has(entry)) await this.#deleted(full(entry))
  }

  async #entry(path: string): Promise<void> {
    if (++this.#count % TURN_AFTER === 0) await nextTurn()
    const { upper, workdir } = this.#sides
    const stats = lstatSync(join(upper, path), { bigint: true })
    const old = statsOf(join(workdir, path))
    if (isWhiteout(stats)) return old === null ? undefined : this.#deleted(path)
    if (stats.isDirectory()) return this.#directory(path, stats, old)
    if (!stats.isFile() && !stats.isSymbolicLink()) {
      this.leftOut.push(path)
      return this.#deleted(path)
    }
    if (old?.isDirectory()) await this.#deletedBelow(path)
    const before = old === null ? null : await this.#stateOf(join(workdir, path), old)
    const after = await this.#stateOf(join(upper, path), stats)
    this.#add(path, old, before, after)
  }

  async #directory(path: string, stats: BigIntStats, old: BigIntStats | null): Promise<void> {
    const before = old === null ? null : await this.#stateOf(join(this.#sides.workdir, path), old)
    this.#add(path, old, before, directoryState(stats))
    if (old?.isDirectory()) return this.walk(path)
    for (const entry of entriesOf(join(this.#sides.upper, path))) await this.#entry(`${path}/${nameOf(entry)}`)
  }

  async #deleted(path: string): Promise<void> {
    const place = join(this.#sides.workdir, path)
    const old = statsOf(place)
    if (old === null) return
    this.#add(path, old, await this.#stateOf(place, old), null)
    if (old.isDirectory()) await this.#deletedBelow(path)
  }

  async #deletedBelow(path: string): Promise<void> {
    for (const entry of entriesOf(join(this.#sides.workdir, path))) await this.#deleted(`${path}/${nameOf(entry)}`)
  }

  #add(path: string, old: BigIntStats | null, before: EntryState | null, after: EntryState | null): void {
    const { since } = this.#sides
    if (old !== null && !old.isDirectory() && old.ctimeNs >= since) this.moved.push(path)
    if (isSameState(before, after)) return
    const leads_to = after?.kind === 'link' ? whereLinkLeads(this.#sides, path) : undefined
    this.changes.push({ path, before, after, ...(leads_to !== undefined && { leads_to }) })
  }

  async #stateOf(place: string, stats: BigIntStats): Promise<EntryState> {
    if (++this.#count % TURN_AFTER === 0) await nextTurn()
    return stateOf(place, stats)
  }
}

/** Of a device, a socket or a pipe there is no content. */
async function stateOf(place: string, stats: BigIntStats): Promise<EntryState> {
  if (stats.isDirectory()) return directoryState(stats)
  if (stats.isSymbolicLink())
    return { kind: 'link', mode: 0o777, digest: digestOfText(readlinkSync(place)), size: Number(stats.size) }
  const digest = stats.isFile() ? await digestOfFile(place, stats.size) : 'none'
  return { kind: 'file', mode: modeOf(stats), digest, size: Number(stats.size) }
}

/** `null` if nothing is there. */
export async function entryState(place: string): Promise<EntryState | null> {
  const stats = await statOf(place, { bigint: true }).catch(absent)
  return stats && stateOf(place, stats)
}

function directoryState(stats: BigIntStats): EntryState {
  return { kind: 'directory', mode: modeOf(stats), digest: '', size: 0 }
}

function modeOf({ mode }: BigIntStats): number {
  return Number(mode) & 0o7777
}

async function digestOfFile(place: string, size: bigint): Promise<string> {
  if (size <= SMALL_FILE) return digestOfText(readFileSync(place))
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(place)) hash.update(chunk as Buffer)
  return `sha256:${hash.digest('hex')}`
}

export function digestOfText(text: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

function isWhiteout(stats: BigIntStats): boolean {
  return stats.isCharacterDevice() && stats.rdev === 0n
}

function statsOf(path: string): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch (thrown) {
    return absent(thrown)
  }
}

function absent(thrown: unknown): null {
  const { code } = thrown as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return null
  throw thrown
}
