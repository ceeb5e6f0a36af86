/**
 * The store in PostgreSQL. Keeps: each public method is one transaction (P4); a hold is decided by one compare-and-set
 * (P2); a write under an old lease is refused (P7); journals are appended to, never rewritten; watchers hear of a journal
 * once what it grew by is durable.
 */

import { hostname } from 'node:os'
import { objectionToClaim } from '../../core/advancing/may-claim.ts'
import { refuseSetBack } from '../../core/advancing/refuse-set-back.ts'
import { applyRequest, type NewRequest, type Requested } from '../../core/advancing/request.ts'
import { restIfSeen } from '../../core/advancing/run-standing.ts'
import type { NewAuditEntry } from '../../core/audit/audit.ts'
import type { Amended, Amendment } from '../../core/deciding/amendment.ts'
import type { ReadyDecision, Receipt } from '../../core/deciding/receipt.ts'
import type { HostName } from '../../core/fleet/fleet-host.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import type { Appended, Commit } from '../../ports/store/journal.ts'
import type { SeenLease } from '../../ports/store/run-queue.ts'
import type { Claim, Claimed, Lease, Start } from '../../ports/store/runs.ts'
import type { Store, StoreCapabilities } from '../../ports/store/store.ts'
import { StoreLocation } from '../../ports/store/store-location.ts'
import { orReceipts, requireAll } from '../all-or-none.ts'
import { amendHolds } from './amend-hold.ts'
import { behindUnknown } from './database/commit-outcome.ts'
import { Pool, type Row, type Transaction } from './database/pool.ts'
import type { Opening } from './database/schema/open-schema.ts'
import { decideHolds } from './decide-hold.ts'
import { type AtOnce, appendAtOnce, wasWritten } from './journal/append-at-once.ts'
import { GroupCommit } from './journal/group-commit.ts'
import { JournalTransaction } from './journal/journal-transaction.ts'
import { PostgresRoles } from './postgres-roles.ts'
import { refuseMovedOn } from './tables/exported-threads.ts'
import { insertHold, listHolds, withdrawHolds } from './tables/hold-table.ts'
import { type LockedThread, lockOfThread, readEvents } from './tables/journal-table.ts'
import { extendLease, leasedThread, lockOf, reclaimLease, releaseLease } from './tables/run-leases.ts'
import { insertRun, readyRun, takeLease, updateRun } from './tables/run-table.ts'
import { taskOfRun } from './tasks/postgres-tasks.ts'

/** `url` is `postgres://…`; without a clock the time is the database's. @throws RefusedError `unknown_store`, `no_store`, `store_copy_unfinished`; StoreError */
export async function openPostgresStore(
  url: string,
  now: (() => number) | null = null,
  { host = { id: hostname(), name: hostname() }, ...opening }: Opening & { readonly host?: HostName } = {},
): Promise<PostgresStore> {
  return new PostgresStore(await Pool.open(url, now, opening), url, host)
}

/** Where to, and what may be written already. */
interface Appending {
  readonly thread: LockedThread
  readonly after: number
  readonly runId: string
  readonly lost: AtOnce | null
}

export class PostgresStore extends PostgresRoles implements Store {
  readonly location: StoreLocation
  readonly capabilities: StoreCapabilities = { isShared: true }

  readonly #groups: GroupCommit

  constructor(pool: Pool, url: string, host: HostName) {
    super(pool, host)
    this.#groups = new GroupCommit(pool)
    this.location = new StoreLocation(url)
  }

  async start({ run, thread_id, after, events, opens = [], copied = 0, task, ...row }: Start): Promise<JournalEvent[]> {
    const written = await this.transaction(async transaction => {
      const { query, now: at } = transaction
      const thread = await transaction.lockOrMake(thread_id, copied)
      await refuseMovedOn(query, thread, after)
      await insertRun(query, thread, { ...run, ...row, at })
      for (const hold of opens) insertHold(query, hold, thread_id, at)
      const written = await transaction.write(thread, events, {
        copied,
        opens,
        goesOn: row.status === 'done' ? null : run.id,
      })
      if (task) await taskOfRun(transaction, task, this.host)
      return written
    })
    if (task) this.changes.tellOfTasks()
    return written
  }

  async claim(claim: Claim): Promise<Claimed | null> {
    const work = (transaction: JournalTransaction, rows: readonly Row[]) => this.#claim(transaction, rows, claim)
    return orReceipts(
      () => this.#told(inTransaction => this.pool.transactionFrom(lockOfThread(claim.run_id), inTransaction), work),
      receipts => ({ outcome: 'refused', receipts }),
    )
  }

  async #claim(transaction: JournalTransaction, rows: readonly Row[], claim: Claim): Promise<Claimed | null> {
    const { query, now } = transaction
    const run = await transaction.lockRunIn(rows, claim.run_id)
    if (run === null) return null
    const { decisions = [], evict } = claim
    const objection = objectionToClaim(run, { decides: decisions.length > 0, evict })
    if (objection) return objection
    const receipts = await decideHolds(transaction, decisions)
    requireAll(receipts)
    // P7: the next run of its thread may begin at any time, and has a lease of its own.
    if (run.status === 'done') return { outcome: 'done' }
    return { outcome: 'claimed', lease: await takeLease(query, run, claim, now), receipts }
  }

  async renew(lease: Lease, ttlMs: number): Promise<Lease> {
    return this.pool.transaction(({ query, now }) => extendLease(query, lease, now + ttlMs))
  }

  async release(lease: Lease): Promise<void> {
    await this.pool.transaction(({ query, now }) => releaseLease(query, lease, now))
    this.changes.tell(null)
  }

  async append(lease: Lease, after: number, commit: Commit): Promise<Appended> {
    const at = this.pool.time.known
    const once = at === null ? null : appendAtOnce(lease, after, { commit, at })
    const outcome = once && (await this.#groups.append(once))
    if (once && outcome === 'written') {
      this.changes.tell({ thread_id: lease.thread_id, seq: after + once.events.length })
      return { events: once.events, rested: false }
    }
    const work = async (transaction: JournalTransaction, rows: readonly Row[]) => {
      const thread = transaction.locked(leasedThread(lease, rows))
      const lost = outcome === 'unknown' ? once : null
      return this.#append(transaction, { thread, after, runId: lease.run_id, lost }, commit)
    }
    const write = () => this.#told(inTransaction => this.pool.transactionFrom(lockOf(lease), inTransaction), work)
    return outcome === 'unknown' ? behindUnknown(write) : write()
  }

  async #append(
    transaction: JournalTransaction,
    { thread, after, runId, lost }: Appending,
    { events, opens = [], ...commit }: Commit,
  ): Promise<Appended> {
    const { query, now: at } = transaction
    refuseSetBack({ thread_id: thread.id, newest: thread.newest, after })
    const missed = thread.newest === after ? [] : await readEvents(query, thread.id, { after, limit: null })
    if (lost && wasWritten(lost, missed)) {
      transaction.grew(thread.id, after + lost.events.length)
      return { events: lost.events, rested: false }
    }
    const { rest, run } = restIfSeen(commit, missed.length === 0)
    const written = await transaction.write(thread, rest ? [...events, ...rest.events] : events)
    for (const hold of [...opens, ...(rest?.opens ?? [])]) insertHold(query, hold, thread.id, at)
    withdrawHolds(query, rest?.withdraws ?? [], runId)
    const change = { ...run, ...rest?.run, release: rest?.release ?? false }
    if (run || rest) updateRun(query, runId, change, at)
    return { events: [...missed, ...written], rested: rest !== undefined }
  }

  async request(request: NewRequest): Promise<Requested | null> {
    return this.transaction(async transaction => {
      const { query, now } = transaction
      const run = await transaction.lockRun(request.run_id)
      if (run === null) return null
      const holds = await listHolds(query, { run_id: run.id, status: 'open' })
      const applied = applyRequest(run, holds, request)
      if (applied.outcome !== 'recorded') return applied
      const withdrawn = applied.withdraws.map(({ id }) => id)
      withdrawHolds(query, withdrawn, run.id)
      if (request.withdraw) await readyRun(query, run.id, now)
      const thread = (await transaction.lock(run.thread_id)) as LockedThread
      await transaction.notice()
      return { outcome: 'recorded', events: await transaction.write(thread, applied.events) }
    })
  }

  async decide(
    decisions: readonly ReadyDecision[],
    { all = false }: { readonly all?: boolean } = {},
  ): Promise<readonly Receipt[]> {
    const decide = async (transaction: JournalTransaction) => {
      const receipts = await decideHolds(transaction, decisions)
      if (all) requireAll(receipts)
      return receipts
    }
    return orReceipts(
      () => this.transaction(decide),
      (receipts): readonly Receipt[] => receipts,
    )
  }

  async amend(amendments: readonly Amendment[]): Promise<Amended[]> {
    return this.transaction(transaction => amendHolds(transaction, amendments))
  }

  async reclaim(lease: SeenLease, entry?: NewAuditEntry): Promise<boolean> {
    const isReclaimed = await this.pool.transaction(({ query, now: at }) =>
      reclaimLease(query, lease, entry && { entry, at }),
    )
    if (isReclaimed) this.changes.tell(null)
    return isReclaimed
  }

  protected async transaction<T>(work: (transaction: JournalTransaction) => Promise<T>): Promise<T> {
    return this.#told(inTransaction => this.pool.transaction(inTransaction), work)
  }

  /** Once it is durable, the watchers are told of the journals that grew. */
  async #told<T, A extends readonly unknown[]>(
    transact: (work: (transaction: Transaction, ...found: A) => Promise<T>) => Promise<T>,
    work: (transaction: JournalTransaction, ...found: A) => Promise<T>,
  ): Promise<T> {
    let committed: JournalTransaction | undefined
    const result = await transact((transaction, ...found) => {
      committed = new JournalTransaction(transaction, this.changes)
      return work(committed, ...found)
    })
    committed?.tell()
    return result
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.changes[Symbol.asyncDispose]()
    await this.sealer[Symbol.asyncDispose]()
    await this.pool[Symbol.asyncDispose]()
  }
}
