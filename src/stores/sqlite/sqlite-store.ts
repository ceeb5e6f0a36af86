/**
 * The embedded store. Keeps: each public method is one transaction (P4); a hold is decided by one compare-and-set (P2);
 * a write under an old lease is refused (P7); journals are appended to, never rewritten; watchers hear of a journal once
 * what it grew by is durable.
 */
import { objectionToClaim } from '../../core/advancing/may-claim.ts'
import { refuseSetBack } from '../../core/advancing/refuse-set-back.ts'
import { applyRequest, type NewRequest, type Requested } from '../../core/advancing/request.ts'
import { restIfSeen } from '../../core/advancing/run-standing.ts'
import type { NewAuditEntry } from '../../core/audit/audit.ts'
import type { CopiedPart } from '../../core/audit/event-records.ts'
import type { Amended, Amendment } from '../../core/deciding/amendment.ts'
import type { ReadyDecision, Receipt } from '../../core/deciding/receipt.ts'
import type { Grant } from '../../core/hold/grant.ts'
import type { Hold } from '../../core/hold/hold.ts'
import type { JournalEvent, NewEvent } from '../../core/journal/event.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Revocation } from '../../ports/store/grants.ts'
import type { Appended, Commit } from '../../ports/store/journal.ts'
import type { PrunedPage, PruneQuery } from '../../ports/store/retention.ts'
import type { SeenLease } from '../../ports/store/run-queue.ts'
import type { Claim, Claimed, Lease, Start } from '../../ports/store/runs.ts'
import type { Store, StoreCapabilities } from '../../ports/store/store.ts'
import { StoreLocation } from '../../ports/store/store-location.ts'
import { orReceipts, requireAll } from '../all-or-none.ts'
import { amendHold } from './amend-hold.ts'
import { Database } from './database/database.ts'
import { decideHold } from './decide-hold.ts'
import { prunePage } from './prune/prune-threads.ts'
import { SqliteRoles } from './sqlite-roles.ts'
import { auditEntries, auditEvents } from './tables/audit-table.ts'
import { refuseMovedOn } from './tables/exported-threads.ts'
import { revokeGrant, useGrant } from './tables/grant-table.ts'
import { insertHold, listHolds, withdrawHold } from './tables/hold-table.ts'
import {
  findThread,
  insertEvents,
  insertThread,
  lastSeq,
  readEvents,
  type ThreadPlace,
} from './tables/journal-table.ts'
import {
  extendLease,
  findRun,
  guardedThread,
  guardLease,
  insertRun,
  readyRun,
  reclaimLease,
  takeLease,
  updateRun,
  wakeRun,
} from './tables/run-table.ts'
import { taskOfRun } from './tasks/sqlite-tasks.ts'

/** `path` is a file, made with its directory where it is missing, or `:memory:`. @throws StoreError */
export async function openSqliteStore(path: string, clock: Pick<Clock, 'now'>): Promise<Store> {
  return new SqliteStore(await Database.open(path), path, clock)
}

class SqliteStore extends SqliteRoles implements Store {
  readonly location: StoreLocation
  readonly capabilities: StoreCapabilities
  readonly #clock: Pick<Clock, 'now'>
  /** Journals that the transaction under way appends to, with their newest `seq`. */
  readonly #grown = new Map<string, number>()

  constructor(database: Database, path: string, clock: Pick<Clock, 'now'>) {
    super(database, clock)
    this.#clock = clock
    this.location = new StoreLocation(path === ':memory:' ? 'memory:' : `sqlite:${path}`)
    this.capabilities = { isShared: path !== ':memory:' }
  }

  async start({ run, thread_id, after, events, opens = [], copied = 0, task, ...row }: Start): Promise<JournalEvent[]> {
    const written = await this.#transaction(() => {
      const at = this.#clock.now()
      const thread = findThread(this.database, thread_id) ?? insertThread(this.database, thread_id, { at, copied })
      refuseMovedOn(this.database, thread, after)
      insertRun(this.database, thread, { ...run, ...row, at })
      for (const hold of opens) insertHold(this.database, hold, thread_id, at)
      const copy = { copied, opens, goesOn: row.status === 'done' ? null : run.id }
      const written = this.#write(thread, { after, at, events }, copy)
      if (task) taskOfRun(this.database, task, at)
      return written
    })
    if (task) this.changes.tellOfTasks()
    return written
  }

  async claim(claim: Claim): Promise<Claimed | null> {
    return orReceipts(
      async () => this.#transaction(() => this.#claim(claim)),
      receipts => ({ outcome: 'refused', receipts }),
    )
  }

  #claim(claim: Claim): Claimed | null {
    const now = this.#clock.now()
    const run = findRun(this.database, claim.run_id)
    if (run === null) return null
    const { decisions = [], evict } = claim
    const objection = objectionToClaim(run.row, { decides: decisions.length > 0, evict })
    if (objection) return objection
    const receipts = this.#record(decisions, now)
    requireAll(receipts)
    // P7: the next run of its thread may begin at any time, and has a lease of its own.
    if (run.row.status === 'done') return { outcome: 'done' }
    return { outcome: 'claimed', lease: takeLease(this.database, run, claim, now), receipts }
  }

  async renew(lease: Lease, ttlMs: number): Promise<Lease> {
    return this.database.transaction(() => {
      guardLease(this.database, lease)
      return extendLease(this.database, lease, this.#clock.now() + ttlMs)
    })
  }

  async release(lease: Lease): Promise<void> {
    await this.database.transaction(() => {
      guardLease(this.database, lease)
      updateRun(this.database, lease.run_id, { release: true }, this.#clock.now())
    })
    this.changes.tell(null)
  }

  async append(lease: Lease, after: number, commit: Commit): Promise<Appended> {
    return this.#transaction(() => this.#append(lease, after, commit))
  }

  #append(lease: Lease, after: number, { events, opens = [], ...commit }: Commit): Appended {
    const at = this.#clock.now()
    const { thread, last } = guardedThread(this.database, lease)
    refuseSetBack({ thread_id: thread.id, newest: last, after })
    const missed = last === after ? [] : readEvents(this.database, thread, after)
    const { rest, run } = restIfSeen(commit, missed.length === 0)
    const all = rest ? [...events, ...rest.events] : events
    const written = this.#write(thread, { after: last, at, events: all })
    for (const hold of [...opens, ...(rest?.opens ?? [])]) insertHold(this.database, hold, thread.id, at)
    for (const id of rest?.withdraws ?? []) withdrawHold(this.database, id, lease.run_id)
    const change = { ...run, ...rest?.run, release: rest?.release ?? false }
    if (run || rest) updateRun(this.database, lease.run_id, change, at)
    return { events: [...missed, ...written], rested: rest !== undefined }
  }

  async request(request: NewRequest): Promise<Requested | null> {
    return this.#transaction(() => {
      const at = this.#clock.now()
      const run = findRun(this.database, request.run_id)
      if (run === null) return null
      const holds = listHolds(this.database, { run_id: run.row.id, status: 'open' })
      const applied = applyRequest(run.row, holds, request)
      if (applied.outcome !== 'recorded') return applied
      for (const hold of applied.withdraws) withdrawHold(this.database, hold.id, run.row.id)
      if (request.withdraw) readyRun(this.database, run.row.id, at)
      const after = lastSeq(this.database, run.thread)
      return { outcome: 'recorded', events: this.#write(run.thread, { after, at, events: applied.events }) }
    })
  }

  async decide(decisions: readonly ReadyDecision[], { all = false } = {}): Promise<readonly Receipt[]> {
    const decide = () => {
      const receipts = this.#record(decisions, this.#clock.now())
      if (all) requireAll(receipts)
      return receipts
    }
    return orReceipts(
      async () => this.#transaction(decide),
      (receipts): readonly Receipt[] => receipts,
    )
  }

  #record(decisions: readonly ReadyDecision[], now: number): Receipt[] {
    return decisions.map(said => {
      const { receipt, write } = decideHold(this.database, said, now)
      if (write) this.#journal(write.hold, [write.event], now)
      return receipt
    })
  }

  async amend(amendments: readonly Amendment[]): Promise<Amended[]> {
    return this.#transaction(() => {
      const now = this.#clock.now()
      return amendments.map(amendment => {
        const applied = amendHold(this.database, amendment, now)
        if (applied) this.#journal(applied.hold, applied.events, now)
        return applied?.hold ?? null
      })
    })
  }

  /** Events of a hold that do not come from the owner of the lease. */
  #journal(hold: Hold, events: readonly NewEvent[], at: number): void {
    const thread = findThread(this.database, hold.thread_id) as ThreadPlace
    this.#write(thread, { after: lastSeq(this.database, thread), at, events })
    if (hold.status !== 'open') wakeRun(this.database, hold.run_id, at)
  }

  /** Inside a transaction: the one way into a journal. Copied events were counted where they happened. */
  #write(thread: ThreadPlace, place: Parameters<typeof insertEvents>[2], copy?: CopiedPart): JournalEvent[] {
    for (const { kind, data } of place.events.slice(copy?.copied))
      if (kind === 'call.gated' && data.grant_id !== null) useGrant(this.database, data.grant_id)
    const written = insertEvents(this.database, thread, place)
    auditEvents(this.database, thread, written, copy)
    const last = written.at(-1)
    if (last) this.#grown.set(last.thread_id, last.seq)
    return written
  }

  async revoke(revocation: Revocation): Promise<Grant | null> {
    const grant = await this.#transaction(() => revokeGrant(this.database, revocation, this.#clock.now()))
    this.changes.tellOfRecords()
    return grant
  }

  async reclaim(lease: SeenLease, entry?: NewAuditEntry): Promise<boolean> {
    const note = entry && { entry, at: this.#clock.now() }
    const isReclaimed = await this.database.transaction(() => reclaimLease(this.database, lease, note))
    if (isReclaimed) this.changes.tell(null)
    return isReclaimed
  }

  async record(entries: readonly NewAuditEntry[]): Promise<void> {
    if (entries.length === 0) return
    await this.database.transaction(() => auditEntries(this.database, entries, this.#clock.now()))
    this.changes.tellOfRecords()
  }

  async prune(query: PruneQuery): Promise<PrunedPage> {
    const prune = () => prunePage(this.database, query, this.#clock.now())
    if (query.dry_run) return this.database.read(prune)
    const page = await this.#transaction(prune)
    this.changes.tellOfRecords()
    return page
  }

  /** Once it is durable, the watchers are told of the journals that grew. */
  async #transaction<T>(work: () => T): Promise<T> {
    const { result, grown } = await this.database.transaction(() => {
      this.#grown.clear()
      return { result: work(), grown: [...this.#grown] }
    })
    for (const [thread_id, seq] of grown) this.changes.tell({ thread_id, seq })
    return result
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.changes[Symbol.dispose]()
    this.database[Symbol.dispose]()
  }
}
