/**
 * Statements and transactions in PostgreSQL. Keeps: a statement names a table as `@runs`, and the schema is quoted in one place; values are
 * parameters, never text of a statement; time is the database's, if the host's clock is no clock of a test.
 */
import type { PoolClient } from 'pg'
import type { SealKey } from '../../../core/audit/record-seal.ts'
import type { Written } from '../../../core/store-write.ts'
import { refuseUnkept } from '../../refuse-unkept.ts'
import type { Cell, Result, Row } from '../../sql/driver/work.ts'
import { StoreError } from '../../store-error.ts'
import { clientOf, connectionOptions, loadPg } from '../driver/load-pg.ts'
import { hasCommitted } from './commit-outcome.ts'
import { Connections, writeAtOnce } from './connections.ts'
import { asStoreError } from './database-errors.ts'
import { type DatabaseUrl, readDatabaseUrl } from './database-url.ts'
import { isFullOrStarting, isPassing, isUnreachable, servesOn } from './lost-connections.ts'
import { Patience, untilDone } from './patience.ts'
import { type Opening, openSchema } from './schema/open-schema.ts'
import { connectSession, type Session } from './session.ts'
import {
  BEGIN,
  BEGIN_SNAPSHOT,
  type Query,
  SentStatements,
  type Statement,
  StatementTexts,
  type Transaction,
} from './statements.ts'
import { StoreTime } from './store-time.ts'

export type { Cell, Result, Row } from '../../sql/driver/work.ts'
export type { Query, Transaction } from './statements.ts'

const NOTHING: Result = { rows: [], count: 0 }

export class Pool implements AsyncDisposable {
  readonly schema: string
  /** The URL of the store without its password. */
  readonly display: string
  /** The key that seals records. */
  readonly sealKey: SealKey | null
  readonly #connections: Connections
  readonly time: StoreTime
  readonly #connect: () => Promise<Session>
  readonly #texts: StatementTexts
  readonly #patience = new Patience()

  private constructor(
    url: DatabaseUrl,
    now: (() => number) | null,
    {
      connections,
      connect,
      sealKey,
    }: {
      readonly connections: Connections
      readonly connect: () => Promise<Session>
      readonly sealKey: SealKey | null
    },
  ) {
    this.schema = url.schema
    this.#texts = new StatementTexts(url.schema)
    this.display = url.display
    this.sealKey = sealKey
    this.#connections = connections
    this.#connect = connect
    this.time = new StoreTime(now)
  }

  /** Makes or migrates the schema. @throws RefusedError `unknown_store`, `no_store`, `store_copy_unfinished`; StoreError */
  static async open(text: string, now: (() => number) | null, opening: Opening = {}): Promise<Pool> {
    const pool = await Pool.unopened(text, now, opening.sealKey)
    try {
      await pool.#patience.with(
        () => untilDone(() => pool.#connections.with(client => openSchema(client, pool, opening))),
        isFullOrStarting,
      )
      return pool
    } catch (thrown) {
      await pool[Symbol.asyncDispose]()
      throw asStoreError(thrown, pool.display)
    }
  }

  /** A pool that connects with its first statement, and takes the schema as it is. @throws RefusedError `unknown_store`; StoreError */
  static async unopened(
    text: string,
    now: (() => number) | null = null,
    sealKey: SealKey | null = null,
  ): Promise<Pool> {
    const url = readDatabaseUrl(text)
    const pg = await loadPg()
    const options = connectionOptions(pg, url.connection)
    const Client = clientOf(pg)
    const connections = new Connections(pg, options, url.display)
    return new Pool(url, now, { connections, sealKey, connect: () => connectSession(new Client(options)) })
  }

  /** True if the next statement would not wait for the end of another one. */
  get hasFreeConnection(): boolean {
    return this.#connections.hasFree
  }

  /** A connection of its own. It keeps no process alive. */
  session(): Promise<Session> {
    return this.#guarded(this.#connect)
  }

  /** Runs a statement in a transaction of its own. */
  readonly query: Query = (sql, values) => {
    const run = () => this.#untilDone(() => this.#connections.with(client => this.#run(client, sql, values)))
    if (sql.startsWith('SELECT')) return this.#guarded(() => this.#patience.with(run))
    // A write may have happened although its answer was lost.
    return this.#guarded(run, 'unknown')
  }

  /** A statement that writes, each of whose rows has the time as `now`. `unknown`: it may have written, or do so later. */
  async tryOnce({ sql, values }: Statement): Promise<readonly Row[] | 'unknown'> {
    return this.#guarded(async () => {
      try {
        const { rows } = await this.#untilDone(() => this.#connections.with(client => this.#run(client, sql, values)))
        if (rows[0]) this.time.hear(rows[0]['now'])
        return rows
      } catch (thrown) {
        if (isPassing(thrown)) return 'unknown'
        throw thrown
      }
    })
  }

  /**
   * All that `work` writes, or nothing of it. If other transactions undid it, `work` runs again from its beginning, so it
   * changes nothing but the database.
   */
  async transaction<T>(work: (transaction: Transaction) => Promise<T> | T): Promise<T> {
    return this.#transact(client => this.#inTransaction(client, { begin: BEGIN }, work))
  }

  /** A transaction whose first statement is sent with its begin. `work` gets the rows. */
  async transactionFrom<T>(
    first: Statement,
    work: (transaction: Transaction, rows: readonly Row[]) => Promise<T>,
  ): Promise<T> {
    return this.#transact(client => this.#inTransaction(client, { begin: BEGIN, first }, work))
  }

  /** A transaction that reads: all statements see the database as it is when the first one begins. */
  async snapshot<T>(work: (transaction: Transaction) => Promise<T> | T): Promise<T> {
    return this.#transact(client => this.#inTransaction(client, { begin: BEGIN_SNAPSHOT }, work))
  }

  async #transact<T>(attempt: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#guarded(() => this.#patience.with(() => this.#untilDone(() => this.#connections.with(attempt))))
  }

  async #inTransaction<T>(
    client: PoolClient,
    { begin, first }: { readonly begin: string; readonly first?: Statement },
    work: (transaction: Transaction, rows: readonly Row[]) => Promise<T> | T,
  ): Promise<T> {
    const sent = new SentStatements((sql, values) => {
      writeAtOnce(client)
      return this.#run(client, sql, values)
    })
    let [result, id]: [T | undefined, unknown] = [undefined, null]
    try {
      writeAtOnce(client)
      const begins = client.query(begin) as unknown as Promise<readonly { readonly rows: readonly Row[] }[]>
      const opens = first && sent.statements(first.sql, first.values)
      // If the begin fails, this answer is not awaited.
      opens?.catch(() => {})
      // On a replica its second statement fails in a transaction that is begun.
      const begun = (await begins)[1]?.rows[0]
      id = begun?.['id'] ?? null
      const now = this.time.hear(begun?.['now'])
      const { rows } = (await opens) ?? NOTHING
      result = await work({ now, query: sent.statements }, rows)
      await sent.areOut()
    } catch (thrown) {
      // The end of its connection undoes it.
      if (!servesOn(thrown)) throw thrown
      await client.query('ROLLBACK').catch(() => {})
      throw (await sent.failure()) ?? thrown
    }
    await this.#commit(client, id === null ? null : String(id), sent)
    return result as T
  }

  /** If it throws that the database cannot be reached, nothing was written. */
  async #commit(client: PoolClient, id: string | null, sent: SentStatements): Promise<void> {
    try {
      const { command } = await client.query('COMMIT')
      if (command !== 'COMMIT')
        throw (await sent.failure()) ?? new StoreError('store_failed', `The store ${this.display} undid a transaction.`)
    } catch (thrown) {
      if (id === null || !isUnreachable(thrown)) throw thrown
      if (!(await hasCommitted(() => this.#statusOf(id), this.display))) throw thrown
    }
  }

  async #statusOf(id: string): Promise<unknown> {
    return (await this.query('SELECT pg_xact_status($1::text::xid8) AS status', [id])).rows[0]?.['status']
  }

  /** Refuses at once what cannot be kept. */
  #run(on: Pick<PoolClient, 'query'>, sql: string, values: readonly Cell[] = []): Promise<Result> {
    refuseUnkept(sql, values)
    const answer = on.query<Row>({ ...this.#texts.of(sql), values: [...values] })
    return answer.then(({ rows, rowCount }) => ({ rows, count: rowCount ?? 0 }))
  }

  /** `attempt` changes nothing if it throws that it was undone, or that its statement is not known. */
  #untilDone<T>(attempt: () => Promise<T>): Promise<T> {
    return untilDone(attempt, thrown => this.#texts.isLostBy(thrown))
  }

  /** @param ifLost what is known of a write if the connection was lost */
  async #guarded<T>(work: () => Promise<T>, ifLost: Written = 'no'): Promise<T> {
    this.#connections.refuseIfClosed()
    try {
      return await work()
    } catch (thrown) {
      throw asStoreError(thrown, this.display, isUnreachable(thrown) ? ifLost : 'no')
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connections[Symbol.asyncDispose]()
  }
}
