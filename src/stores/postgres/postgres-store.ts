import { hostname } from 'node:os'
import type { HostName } from '../../core/fleet/fleet-host.ts'
import type { LiveCarrier, LiveChannel } from '../../ports/live-channel.ts'
import type { Appended, Commit } from '../../ports/store/journal.ts'
import type { Lease } from '../../ports/store/runs.ts'
import type { Store, StoreCapabilities } from '../../ports/store/store.ts'
import { StoreLocation } from '../../ports/store/store-location.ts'
import { SqlStore, type WasWritten } from '../sql/sql-store.ts'
import { Sealer } from './audit/sealer.ts'
import { Changes } from './changes/changes.ts'
import { behindUnknown } from './database/commit-outcome.ts'
import { Pool } from './database/pool.ts'
import type { Opening } from './database/schema/open-schema.ts'
import { PostgresHosts } from './fleet/postgres-hosts.ts'
import { appendAtOnce, wasWritten } from './journal/append-at-once.ts'
import { GroupCommit } from './journal/group-commit.ts'
import { NoticeChannel } from './live/notice-channel.ts'
import { PostgresDriver } from './postgres-driver.ts'

/** `url` is `postgres://…`; without a clock the time is the database's. @throws RefusedError `unknown_store`, `no_store`, `store_copy_unfinished`; StoreError */
export async function openPostgresStore(
  url: string,
  now: (() => number) | null = null,
  { host = { id: hostname(), name: hostname() }, ...opening }: Opening & { readonly host?: HostName } = {},
): Promise<PostgresStore> {
  return new PostgresStore(await Pool.open(url, now, opening), url, host)
}

/** The store in PostgreSQL. The usual append is one statement (`append-at-once.ts`); everything else is a transaction. */
export class PostgresStore extends SqlStore implements Store, LiveCarrier {
  readonly location: StoreLocation
  readonly capabilities: StoreCapabilities = { isShared: true }
  readonly hosts: Store['hosts']
  readonly #pool: Pool
  readonly #host: HostName
  readonly #changes: Changes
  readonly #sealer: Sealer
  readonly #groups: GroupCommit

  constructor(pool: Pool, url: string, host: HostName) {
    const sealer = new Sealer(pool)
    const changes = new Changes(pool, () => sealer.soon())
    const driver = new PostgresDriver(pool)
    super({ driver, changes, host })
    this.#pool = pool
    this.#host = host
    this.#changes = changes
    this.#sealer = sealer
    this.#groups = new GroupCommit(pool)
    this.hosts = new PostgresHosts(driver, host)
    this.location = new StoreLocation(url)
  }

  override async append(lease: Lease, after: number, commit: Commit): Promise<Appended> {
    const at = this.#pool.time.known
    const once = at === null ? null : appendAtOnce(lease, after, { commit, at, sealKey: this.#pool.sealKey })
    if (!once) return this.appendLocked(lease, { after, commit })
    const outcome = await this.#groups.append(once)
    if (outcome === 'written') {
      this.#changes.tell({ thread_id: lease.thread_id, seq: after + once.events.length })
      return { events: once.events, rested: false }
    }
    if (outcome === 'refused') return this.appendLocked(lease, { after, commit })
    const ifWritten: WasWritten = missed => (wasWritten(once, missed) ? once.events : null)
    return behindUnknown(() => this.appendLocked(lease, { after, commit, wasWritten: ifWritten }))
  }

  openLiveChannel(): LiveChannel {
    return new NoticeChannel({ pool: this.#pool, host: this.#host, changes: this.#changes })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#changes[Symbol.asyncDispose]()
    await this.#sealer[Symbol.asyncDispose]()
    await this.#pool[Symbol.asyncDispose]()
  }
}
