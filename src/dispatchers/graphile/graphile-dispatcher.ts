/**
 * graphile-worker as the engine.
 * G1  No job is in a queue of its own: one that waits behind another is found at the next poll only.
 * G2  A job does nothing but wake: its handler ends when the worker lets go of the run, and never fails but for a
 *     worker that stops. Jobs of a killed worker stay locked for four hours; no run waits for them (D1 of
 *     `runtime/worker/dispatched-runs.ts`).
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { LogFunctionFactory, Runner, RunnerOptions } from 'graphile-worker'
import type { Pool } from 'pg'
import { onAbort } from '../../async/on-abort.ts'
import { messageOf, RefusedError } from '../../core/errors.ts'
import type { Dispatched, Dispatcher, DispatchOptions } from '../../ports/dispatcher.ts'
import { ADVANCE, EXPIRE, functionsSql, type Schemas, TRIGGERS } from './enqueue-sql.ts'
import type { Graphile } from './load-graphile.ts'

/** Of the advisory locks of this database: `Hope`, as a number. */
const LOCK = 0x486f7065
const BACKOFF_MS = [100, 500, 2_000, 5_000] as const

export interface GraphileSite {
  readonly graphile: Graphile
  /** Of the dispatcher alone; closed with it. */
  readonly pool: Pool
  readonly schemas: Schemas
}

/** Makes its schema and its triggers where they are missing. The tables of the store must be there. */
export async function openGraphile(site: GraphileSite): Promise<GraphileDispatcher> {
  try {
    await site.graphile.runMigrations(optionsOf(site))
    await installTriggers(site)
  } catch (thrown) {
    await site.pool.end()
    throw isDenied(thrown) ? denied(site.schemas, thrown) : thrown
  }
  return new GraphileDispatcher(site)
}

function isDenied(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === '42501'
}

function denied({ engine }: Schemas, cause: unknown): RefusedError {
  return new RefusedError(
    'engine_denied',
    `The schema ${engine} of the engine cannot be made or used: ${messageOf(cause)}.`,
    {
      hint: `As an owner of the database run: CREATE SCHEMA ${engine} AUTHORIZATION the user of the store.`,
      cause,
    },
  )
}

export class GraphileDispatcher implements Dispatcher, AsyncDisposable {
  readonly #site: GraphileSite

  constructor(site: GraphileSite) {
    this.#site = site
  }

  async dispatch(to: Dispatched, { concurrency, signal }: DispatchOptions): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        await this.#run({ ...optionsOf(this.#site), concurrency, taskList: tasksOf(to) }, signal)
      } catch (thrown) {
        process.emitWarning(`The engine is tried again: ${messageOf(thrown)}`)
      }
      await sleep(BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)], null, { signal }).catch(() => {})
    }
  }

  /** Until the signal is aborted, or the engine gives up. */
  async #run(options: RunnerOptions, signal: AbortSignal): Promise<void> {
    const runner: Runner = await this.#site.graphile.run(options)
    let stopped: Promise<void> | null = null
    using _stop = onAbort(signal, () => {
      stopped = runner.stop()
      stopped.catch(() => {})
    })
    await runner.promise
    await stopped
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#site.pool.end()
  }
}

function tasksOf(to: Dispatched): NonNullable<RunnerOptions['taskList']> {
  return {
    [ADVANCE]: payload => to.onRun(String((payload as { readonly run_id?: unknown }).run_id)),
    [EXPIRE]: () => to.onDue(),
  }
}

/** The worker has signals, output and settings of its own. */
function optionsOf({ graphile, pool, schemas }: GraphileSite): RunnerOptions {
  return {
    pgPool: pool,
    schema: schemas.engine,
    noHandleSignals: true,
    parsedCronItems: [],
    logger: new graphile.Logger(SILENT),
  }
}

const SILENT: LogFunctionFactory = () => () => {}

/** Of several workers one does. A trigger that is there is left alone, as making one holds up all who write. */
async function installTriggers({ pool, schemas }: GraphileSite): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCK, schemas.engine])
    await client.query(functionsSql(schemas))
    const { rows } = await client.query<{ name: string }>(
      `SELECT t.tgname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
         JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = $1 AND NOT t.tgisinternal`,
      [schemas.store],
    )
    const there = new Set(rows.map(({ name }) => name))
    for (const { name, sql } of TRIGGERS) if (!there.has(name)) await client.query(sql(schemas))
    await client.query('COMMIT')
  } catch (thrown) {
    await client.query('ROLLBACK').catch(() => {})
    throw thrown
  } finally {
    client.release()
  }
}
