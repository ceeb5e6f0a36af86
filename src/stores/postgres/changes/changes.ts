/**
 * Tells listeners of changes, those of this process and those of others.
 * N1  A person's act is told to other processes within its transaction (`noticeIn`). Everything else is told after its
 *     commit, at most every 20 ms: a notice takes a lock of the whole database server.
 * N2  A notice only wakes. One that is lost costs the time until the next look (`OutsideListener`).
 */
import { randomUUID } from 'node:crypto'
import type { Growth } from '../../../ports/store/journal.ts'
import { ChangeWatch } from '../../sql/driver/change-watch.ts'
import { all, type Work } from '../../sql/driver/work.ts'
import type { Pool } from '../database/pool.ts'
import { runWork } from '../database/run-work.ts'
import { OutsideListener } from './outside-listener.ts'
import { SideChannels } from './side-channels.ts'

const REST_MS = 20

const NOTIFY = 'SELECT pg_notify(?, ?)'

export class Changes extends ChangeWatch implements AsyncDisposable {
  /** Heard by the same connection, while there is a watcher. */
  readonly sides: SideChannels
  readonly #pool: Pool
  /** The id of this object, which its own notices have. */
  readonly #sender: string
  #timer: NodeJS.Timeout | null = null
  #underway: Promise<unknown> | null = null
  #toldAt = Number.NEGATIVE_INFINITY
  readonly #afterCommit: () => void

  /** `afterCommit` is called as soon as this object has written anything. */
  constructor(pool: Pool, afterCommit: () => void) {
    const sender = randomUUID()
    const sides = new SideChannels()
    super(onChange => new OutsideListener(pool, { sender, sides }, onChange))
    this.sides = sides
    this.#pool = pool
    this.#sender = sender
    this.#afterCommit = afterCommit
  }

  /** Inside a transaction: others hear of it when it commits, even if this process ends at once. */
  override *noticeIn(): Work<void> {
    yield* all(NOTIFY, [this.#pool.schema, this.#sender])
  }

  /** After a commit with a notice in it. */
  override tellHere(change: Growth): void {
    super.tellHere(change)
    this.#afterCommit()
  }

  override tell(change: Growth | null): void {
    super.tell(change)
    this.#noticeSoon()
  }

  override tellOfTasks(): void {
    super.tellOfTasks()
    this.#noticeSoon()
  }

  override tellOfRecords(): void {
    super.tellOfRecords()
    this.#noticeSoon()
  }

  #noticeSoon(): void {
    this.#afterCommit()
    if (this.#timer !== null) return
    const delay = Math.max(this.#toldAt + REST_MS - performance.now(), 0)
    this.#timer = setTimeout(() => this.#notice(), delay).unref()
  }

  #notice(): void {
    this.#timer = null
    this.#toldAt = performance.now()
    this.#underway = runWork(this.#pool.query, this.noticeIn()).catch(() => {})
  }

  /** Sends the notices that still wait, before the pool is closed. */
  async [Symbol.asyncDispose](): Promise<void> {
    this[Symbol.dispose]()
    if (this.#timer !== null) {
      clearTimeout(this.#timer)
      this.#notice()
    }
    await this.#underway
  }
}
