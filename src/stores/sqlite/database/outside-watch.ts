/**
 * Notices commits of other connections, those of other processes too, without busy polling: each one writes to the WAL
 * file, which our open connection keeps in place, and the system tells of that.
 * O1  The system tells when pages are written, before their commit can be seen, and tells nothing when it can: a disk that
 *     is busy takes its time between the two. So after each such event `data_version` (which only other connections'
 *     commits change) is looked at after 1, 2, 4, 8, 8, 8 … milliseconds, for two seconds. Also when it did change: that
 *     may have been an earlier commit than the one whose pages were written.
 * O2  One look is due at a time, however many events there were. Our own commits cause events too; a burst of them costs
 *     one look a millisecond.
 * O3  After that the looks become rare, and never stop: so nothing is missed for good if the system tells of nothing.
 * O4  It keeps no process alive, and never throws. A look that fails counts as a change: the reader who follows meets
 *     the trouble where it can be told.
 */
import { type FSWatcher, watch } from 'node:fs'
import type { Database } from './database.ts'

/** Commands that are over sooner never pay for it. */
const OPEN_AFTER_MS = 10
const SOONEST_MS = 1
/** The longest time between two looks while a commit may be under way. */
const ALERT_MS = 8
const ALERT_FOR_MS = 2_000
const RAREST_MS = 1_000

export class OutsideWatch implements Disposable {
  readonly #database: Database
  readonly #onChange: () => void
  #seen: unknown
  #files: FSWatcher | null = null
  #timer: NodeJS.Timeout
  #delay = OPEN_AFTER_MS
  /** Milliseconds of looks since the last event of the system. */
  #quietMs = 0

  constructor(database: Database, onChange: () => void) {
    this.#database = database
    this.#onChange = onChange
    this.#seen = versionOf(database)
    this.#timer = setTimeout(() => this.#open(), OPEN_AFTER_MS).unref()
  }

  #open(): void {
    this.#files = watchFile(`${this.#database.path}-wal`, () => this.#lookSoon())
    this.#look()
  }

  #lookSoon(): void {
    this.#quietMs = 0
    if (this.#delay > SOONEST_MS) this.#lookIn(SOONEST_MS)
  }

  #lookIn(delay: number): void {
    clearTimeout(this.#timer)
    this.#delay = delay
    this.#timer = setTimeout(() => this.#look(), delay).unref()
  }

  #look(): void {
    this.#quietMs += this.#delay
    this.#lookIn(Math.min(this.#delay * 2, this.#quietMs < ALERT_FOR_MS ? ALERT_MS : RAREST_MS))
    if (this.#hasChanged()) this.#onChange()
  }

  #hasChanged(): boolean {
    const before = this.#seen
    this.#seen = versionOf(this.#database)
    return this.#seen === null || this.#seen !== before
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#files?.close()
  }
}

/** `null` if it cannot be read now. */
function versionOf(database: Database): unknown {
  try {
    database.refuseReplaced()
    return database.readAtOnce(() => database.statement('PRAGMA data_version').all()[0]?.['data_version'])
  } catch {
    return null
  }
}

/** Returns `null` if the system cannot watch files: then the rare looks must suffice (O3). */
function watchFile(path: string, onEvent: () => void): FSWatcher | null {
  try {
    const files = watch(path, { persistent: false }, onEvent)
    return files.on('error', () => files.close())
  } catch {
    return null
  }
}
