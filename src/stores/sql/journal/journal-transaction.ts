/**
 * A transaction that writes to journals. Keeps: the row of a thread is locked before anything of the thread is read, so
 * that writers of one thread come one after the other, and each sees what the one before it wrote.
 */
import { type CopiedPart, NO_COPY } from '../../../core/audit/event-records.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import type { JournalEvent, NewEvent } from '../../../core/journal/event.ts'
import type { RunRow } from '../../../ports/store/runs.ts'
import { recordEvents } from '../audit/record-events.ts'
import type { ChangeWatch } from '../driver/change-watch.ts'
import type { Dialect } from '../driver/dialect.ts'
import type { Transaction } from '../driver/driver.ts'
import { all, type Row, type Work } from '../driver/work.ts'
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
  readonly transaction: Transaction
  readonly dialect: Dialect
  /** Milliseconds since 1970, of the store. */
  readonly now: number
  /** Journals that it appended to, with their newest `seq`. */
  readonly #grown = new Map<string, number>()
  readonly #threads = new Map<string, LockedThread>()
  readonly #changes: ChangeWatch
  /** Others hear of it when it commits. */
  #isNoticed = false

  constructor(transaction: Transaction, changes: ChangeWatch) {
    this.transaction = transaction
    this.dialect = transaction.dialect
    this.now = transaction.now
    this.#changes = changes
  }

  /** `null` for an unknown thread. */
  *lock(threadId: string): Work<LockedThread | null> {
    return this.#threads.get(threadId) ?? this.#keep(yield* lockThread(this.dialect, threadId))
  }

  /** In one order for all, so that two transactions never wait for each other. Unknown threads are left out. */
  *lockAll(threadIds: readonly string[]): Work<void> {
    const [only, ...others] = threadIds
    if (only !== undefined && others.length === 0) yield* this.lock(only)
    else for (const thread of yield* lockThreads(this.dialect, threadIds)) this.#keep(thread)
  }

  /** A new one has this many events that happened in another thread. */
  *lockOrMake(threadId: string, copied: number): Work<LockedThread> {
    const known = yield* this.lock(threadId)
    if (known) return known
    const made = yield* insertThread(threadId, { at: this.now, copied })
    // Another transaction made it meanwhile.
    return this.#keep(made) ?? ((yield* this.lock(threadId)) as LockedThread)
  }

  /** The one way into a journal. Copied events were counted where they happened. */
  *write(thread: LockedThread, events: readonly NewEvent[], copy: CopiedPart = NO_COPY): Work<JournalEvent[]> {
    const { newest } = this.#threads.get(thread.id) ?? thread
    for (const { kind, data } of events.slice(copy.copied))
      if (kind === 'call.gated' && data.grant_id !== null) yield* useGrant(data.grant_id)
    const written = yield* insertEvents(this.dialect, { ...thread, newest }, { at: this.now, events })
    yield* recordEvents(this.transaction, thread, { events: written, copy })
    const last = written.at(-1)
    if (last) {
      this.#threads.set(thread.id, { ...thread, newest: last.seq })
      this.grew(thread.id, last.seq)
    }
    return written
  }

  /** Watchers hear that `seq` is the newest of the journal. */
  grew(threadId: string, seq: number): void {
    this.#grown.set(threadId, seq)
  }

  /** Tells other processes of a person's act when the transaction commits. */
  *notice(): Work<void> {
    if (this.#isNoticed) return
    this.#isNoticed = true
    yield* this.#changes.noticeIn()
  }

  /** After its commit. */
  tell(): void {
    for (const [thread_id, seq] of this.#grown) {
      if (this.#isNoticed) this.#changes.tellHere({ thread_id, seq })
      else this.#changes.tell({ thread_id, seq })
    }
  }

  /** Events of a hold that do not come from the owner of the lease. */
  *writeOfHold(hold: Hold, events: readonly NewEvent[]): Work<void> {
    yield* this.notice()
    yield* this.write((yield* this.lock(hold.thread_id)) as LockedThread, events)
    if (hold.status !== 'open') yield* wakeRun(hold.run_id, this.now)
  }

  /** Locks the thread of a run, then the run itself. Returns `null` for an unknown run. */
  *lockRun(runId: string): Work<RunRow | null> {
    const { sql, values } = lockOfThread(this.dialect, runId)
    return yield* this.lockRunIn(yield* all(sql, values), runId)
  }

  /** Does the same after `lockOfThread`. The row of a run is read once its thread is locked. */
  *lockRunIn([row]: readonly Row[], runId: string): Work<RunRow | null> {
    if (!row) return null
    this.locked(lockedThread(row))
    return yield* lockRun(runId)
  }

  /** Notes a thread that the first statement has locked. */
  locked(thread: LockedThread): LockedThread {
    this.#threads.set(thread.id, thread)
    return thread
  }

  #keep(thread: LockedThread | null): LockedThread | null {
    if (thread) this.#threads.set(thread.id, thread)
    return thread
  }
}
