/**
 * One transaction that writes to journals. Keeps: the row of a thread is locked before anything of the thread is read, so
 * that writers of one thread come one after the other, and each sees what the one before it wrote.
 */
import { type CopiedPart, NO_COPY } from '../../../core/audit/event-records.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import type { JournalEvent, NewEvent } from '../../../core/journal/event.ts'
import type { RunRow } from '../../../ports/store/runs.ts'
import { auditEvents } from '../audit/audit-records.ts'
import type { Changes } from '../changes/changes.ts'
import type { Row, Statements, Transaction } from '../database/pool.ts'
import { useGrant } from '../tables/grant-table.ts'
import {
  insertEvents,
  insertThread,
  type LockedThread,
  lockedThread,
  lockOfThread,
  lockThread,
  lockThreads,
} from '../tables/journal-table.ts'
import { lockRun, wakeRun } from '../tables/run-table.ts'

export class JournalTransaction {
  readonly query: Statements
  /** Milliseconds since 1970, of the store. */
  readonly now: number
  /** Journals that it appended to, with their newest `seq`. */
  readonly #grown = new Map<string, number>()
  readonly #threads = new Map<string, LockedThread>()

  readonly #changes: Changes
  /** Others hear of it when it commits. */
  #isNoticed = false

  constructor({ query, now }: Transaction, changes: Changes) {
    this.query = query
    this.now = now
    this.#changes = changes
  }

  /** `null` for an unknown thread. */
  async lock(threadId: string): Promise<LockedThread | null> {
    return this.#threads.get(threadId) ?? this.#keep(await lockThread(this.query, threadId))
  }

  /** In one order for all, so that two transactions never wait for each other. Unknown threads are left out. */
  async lockAll(threadIds: readonly string[]): Promise<void> {
    for (const thread of await lockThreads(this.query, threadIds)) this.#keep(thread)
  }

  /** A new one has this many events that happened in another thread. */
  async lockOrMake(threadId: string, copied: number): Promise<LockedThread> {
    const known = await this.lock(threadId)
    if (known) return known
    const made = await insertThread(this.query, threadId, { at: this.now, copied })
    // Another transaction made it meanwhile.
    return this.#keep(made) ?? ((await this.lock(threadId)) as LockedThread)
  }

  /** The one way into a journal. Copied events were counted where they happened. */
  async write(thread: LockedThread, events: readonly NewEvent[], copy: CopiedPart = NO_COPY): Promise<JournalEvent[]> {
    const at = this.now
    const { newest } = this.#threads.get(thread.id) ?? thread
    for (const { kind, data } of events.slice(copy.copied))
      if (kind === 'call.gated' && data.grant_id !== null) await useGrant(this.query, data.grant_id)
    const written = await insertEvents(this.query, { ...thread, newest }, { at, events })
    await auditEvents(this.query, thread, { events: written, copy })
    const last = written.at(-1)
    if (last) {
      this.#threads.set(thread.id, { ...thread, newest: last.seq })
      this.grew(thread.id, last.seq)
    }
    return written
  }

  /** Watchers hear that the journal goes up to this `seq`. */
  grew(threadId: string, seq: number): void {
    this.#grown.set(threadId, seq)
  }

  /** For what people do: other processes hear of it when it commits. */
  async notice(): Promise<void> {
    if (this.#isNoticed) return
    this.#isNoticed = true
    await this.#changes.noticeIn(this.query)
  }

  /** After its commit. */
  tell(): void {
    for (const [thread_id, seq] of this.#grown) {
      if (this.#isNoticed) this.#changes.tellHere({ thread_id, seq })
      else this.#changes.tell({ thread_id, seq })
    }
  }

  /** Events of a hold that do not come from the owner of the lease. */
  async writeOfHold(hold: Hold, events: readonly NewEvent[]): Promise<void> {
    await this.notice()
    await this.write((await this.lock(hold.thread_id)) as LockedThread, events)
    if (hold.status !== 'open') await wakeRun(this.query, hold.run_id, this.now)
  }

  /** As `lock`, of the thread of a run; then the run itself. `null` for an unknown run. */
  async lockRun(runId: string): Promise<RunRow | null> {
    const { sql, values } = lockOfThread(runId)
    return this.lockRunIn((await this.query(sql, values)).rows, runId)
  }

  /** As `lockRun`, if its first statement was `lockOfThread`. The row of a run is read once its thread is locked. */
  async lockRunIn([row]: readonly Row[], runId: string): Promise<RunRow | null> {
    if (!row) return null
    this.locked(lockedThread(row))
    return lockRun(this.query, runId)
  }

  /** Goes on with a thread that its first statement has locked. */
  locked(thread: LockedThread): LockedThread {
    this.#threads.set(thread.id, thread)
    return thread
  }

  #keep(thread: LockedThread | null): LockedThread | null {
    if (thread) this.#threads.set(thread.id, thread)
    return thread
  }
}
