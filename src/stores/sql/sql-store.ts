/**
 * The store in SQL, over a driver. Keeps: each public method is one transaction (P4); a hold is decided by one
 * compare-and-set (P2); a write under an old lease is refused (P7); journals are appended to, never rewritten; watchers hear
 * of a journal once its growth is durable.
 */
import { objectionToClaim } from '../../core/advancing/may-claim.ts'
import { refuseSetBack } from '../../core/advancing/refuse-set-back.ts'
import { applyRequest, type NewRequest, type Requested } from '../../core/advancing/request.ts'
import { restIfSeen } from '../../core/advancing/run-standing.ts'
import type { AdvanceFailure } from '../../core/advancing/stuck-run.ts'
import type { NewAuditEntry } from '../../core/audit/audit.ts'
import type { Amended, Amendment } from '../../core/deciding/amendment.ts'
import type { ReadyDecision, Receipt } from '../../core/deciding/receipt.ts'
import type { KeptFold } from '../../core/folds/kept-fold.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import { isoTime } from '../../core/text/iso-time.ts'
import type { Appended, Commit } from '../../ports/store/journal.ts'
import type { SeenLease } from '../../ports/store/run-queue.ts'
import type { Claim, Claimed, Lease, Start } from '../../ports/store/runs.ts'
import { orReceipts, requireAll } from '../all-or-none.ts'
import type { Asked } from './driver/driver.ts'
import type { Row, Work } from './driver/work.ts'
import { amendHolds } from './journal/amend-holds.ts'
import { decideHolds } from './journal/decide-holds.ts'
import { JournalTransaction } from './journal/journal-transaction.ts'
import { usualAppend } from './journal/usual-append.ts'
import { SqlRoles } from './sql-roles.ts'
import { refuseMovedOn } from './tables/exported-threads.ts'
import { writeFold } from './tables/fold-table.ts'
import { insertHolds, listHolds, withdrawHolds } from './tables/hold-table.ts'
import { growBy, type LockedThread, lockOfThread, readEvents } from './tables/journal-table.ts'
import { extendLease, leasedThread, lockOf, reclaimLease, releaseLease, takeLease } from './tables/run-leases.ts'
import { endOutage, insertRun, noteFailure, readyRun, updateRun } from './tables/run-table.ts'
import { taskOfRun } from './tasks/sql-tasks.ts'

/** The events that were written before, by a statement whose answer was lost; `null` if they were not. */
export type WasWritten = (missed: readonly JournalEvent[]) => readonly JournalEvent[] | null

interface Appending {
  readonly thread: LockedThread
  readonly after: number
  readonly runId: string
  readonly wasWritten?: WasWritten | undefined
}

export abstract class SqlStore extends SqlRoles {
  async start(start: Start): Promise<JournalEvent[]> {
    const written = await this.#write(journal => this.#start(journal, start))
    if (start.task) this.deps.changes.tellOfTasks()
    return written
  }

  *#start(
    journal: JournalTransaction,
    { run, thread_id, after, events, opens = [], copied = 0, task, ...row }: Start,
  ): Work<JournalEvent[]> {
    const { transaction, now } = journal
    const thread = yield* journal.lockOrMake(thread_id, copied)
    yield* refuseMovedOn(thread, after)
    yield* insertRun(thread, { ...run, ...row }, now)
    yield insertHolds(opens, thread_id, now)
    const goesOn = row.status === 'done' ? null : run.id
    const written = yield* journal.write(thread, events, { copied, opens, goesOn })
    if (task) yield* taskOfRun(transaction, task, this.deps.host)
    return written
  }

  async claim(claim: Claim): Promise<Claimed | null> {
    const work = (journal: JournalTransaction, rows: readonly Row[]) => this.#claim(journal, rows, claim)
    return orReceipts(
      () => this.#write(work, lockOfThread(this.dialect, claim.run_id)),
      receipts => ({ outcome: 'refused', receipts }),
    )
  }

  *#claim(journal: JournalTransaction, rows: readonly Row[], claim: Claim): Work<Claimed | null> {
    const run = yield* journal.lockRunIn(rows, claim.run_id)
    if (run === null) return null
    const { decisions = [], evict } = claim
    const objection = objectionToClaim(run, { decides: decisions.length > 0, evict })
    if (objection) return objection
    const receipts = yield* decideHolds(journal, decisions)
    requireAll(receipts)
    // P7: the next run of its thread may begin at any time, and has a lease of its own.
    if (run.status === 'done') return { outcome: 'done' }
    return { outcome: 'claimed', lease: yield* takeLease(run, claim, journal.now), receipts }
  }

  async renew(lease: Lease, ttlMs: number): Promise<Lease> {
    return this.deps.driver.transaction(({ now }) => extendLease(lease, now + ttlMs))
  }

  async release(lease: Lease): Promise<void> {
    await this.deps.driver.transaction(({ now }) => releaseLease(lease, now))
    this.deps.changes.tell(null)
  }

  async noteFailure(runId: string, failure: Omit<AdvanceFailure, 'at'>): Promise<void> {
    await this.deps.driver.transaction(({ now }) => noteFailure(runId, { ...failure, at: isoTime(now) }))
    this.deps.changes.tell(null)
  }

  async append(lease: Lease, after: number, commit: Commit): Promise<Appended> {
    return this.appendLocked(lease, { after, commit })
  }

  protected async appendLocked(
    lease: Lease,
    {
      after,
      commit,
      wasWritten,
    }: { readonly after: number; readonly commit: Commit; readonly wasWritten?: WasWritten | undefined },
  ): Promise<Appended> {
    const work = (journal: JournalTransaction, rows: readonly Row[]) => {
      const thread = journal.locked(leasedThread(lease, rows))
      return this.#append(journal, { thread, after, runId: lease.run_id, wasWritten }, commit)
    }
    return this.#write(work, lockOf(this.dialect, lease))
  }

  *#append(journal: JournalTransaction, appending: Appending, commit: Commit): Work<Appended> {
    const { thread, after } = appending
    refuseSetBack({ thread_id: thread.id, newest: thread.newest, after })
    const usual = thread.newest === after ? usualAppend(thread, { at: journal.now, commit }) : null
    if (!usual) return yield* this.#appendMore(journal, appending, commit)
    yield growBy(this.dialect, thread, usual.events)
    yield* journal.transaction.put(usual.records, false)
    journal.grew(thread.id, after + usual.events.length)
    return { events: usual.events, rested: false }
  }

  *#appendMore(
    journal: JournalTransaction,
    { thread, after, runId, wasWritten }: Appending,
    { events, opens = [], ...commit }: Commit,
  ): Work<Appended> {
    const missed = thread.newest === after ? [] : yield* readEvents(this.dialect, thread.id, { after })
    const before = wasWritten?.(missed) ?? null
    if (before) {
      journal.grew(thread.id, after + before.length)
      return { events: before, rested: false }
    }
    const { rest, run } = restIfSeen(commit, missed.length === 0)
    const written = yield* journal.write(thread, rest ? [...events, ...rest.events] : events)
    yield insertHolds([...opens, ...(rest?.opens ?? [])], thread.id, journal.now)
    yield withdrawHolds(rest?.withdraws ?? [], runId)
    const change = { ...run, ...rest?.run, release: rest?.release ?? false }
    if (run || rest) yield updateRun(runId, change, journal.now)
    return { events: [...missed, ...written], rested: rest !== undefined }
  }

  async request(request: NewRequest): Promise<Requested | null> {
    return this.#write(journal => this.#request(journal, request))
  }

  *#request(journal: JournalTransaction, request: NewRequest): Work<Requested | null> {
    const run = yield* journal.lockRun(request.run_id)
    if (run === null) return null
    const holds = yield* listHolds(this.dialect, { run_id: run.id, status: 'open' })
    const applied = applyRequest(run, holds, request)
    if (applied.outcome !== 'recorded') return applied
    const withdrawn = applied.withdraws.map(({ id }) => id)
    yield withdrawHolds(withdrawn, run.id)
    if (request.withdraw) yield* readyRun(run.id, journal.now)
    yield* endOutage(run.id)
    const thread = (yield* journal.lock(run.thread_id)) as LockedThread
    if (request.after !== undefined && request.after !== thread.newest) return { outcome: 'done' }
    yield* journal.notice()
    return { outcome: 'recorded', events: yield* journal.write(thread, applied.events) }
  }

  async keepFold(fold: KeptFold): Promise<void> {
    await this.deps.driver.transaction(() => writeFold(fold))
  }

  async decide(
    decisions: readonly ReadyDecision[],
    { all = false }: { readonly all?: boolean } = {},
  ): Promise<readonly Receipt[]> {
    const decide = function* (journal: JournalTransaction): Work<readonly Receipt[]> {
      const receipts = yield* decideHolds(journal, decisions)
      if (all) requireAll(receipts)
      return receipts
    }
    return orReceipts(
      () => this.#write(decide),
      receipts => receipts,
    )
  }

  async amend(amendments: readonly Amendment[]): Promise<Amended[]> {
    return this.#write(journal => amendHolds(journal, amendments))
  }

  async reclaim(lease: SeenLease, entry?: NewAuditEntry): Promise<boolean> {
    const isReclaimed = await this.deps.driver.transaction(transaction => reclaimLease(transaction, lease, entry))
    if (isReclaimed) this.deps.changes.tell(null)
    return isReclaimed
  }

  /** Watchers hear which journals grew as soon as that is durable. */
  async #write<T>(work: (journal: JournalTransaction, found: readonly Row[]) => Work<T>, first?: Asked): Promise<T> {
    const { driver, changes } = this.deps
    let committed: JournalTransaction | undefined
    const result = await driver.transaction((transaction, found) => {
      committed = new JournalTransaction(transaction, changes)
      return work(committed, found)
    }, first)
    committed?.tell()
    return result
  }
}
