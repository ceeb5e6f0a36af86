/**
 * graphile-worker as the engine.
 * G1  No job is in a queue of its own: one that waits for another is found at the next poll only.
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
import type { Graphile } from './load-graphile.ts'

/** The key of this database's advisory locks: `Hope`, as a number. */
const LOCK = 0x486f7065
const BACKOFF_MS = [100, 500, 2_000, 5_000] as const

export interface GraphileDeps {
  readonly graphile: Graphile
  /** The dispatcher's own pool, closed with it. */
  readonly pool: Pool
  readonly schemas: Schemas
}

/** Makes its schema and its triggers where they are missing. The tables of the store must be there. */
export async function openGraphile(deps: GraphileDeps): Promise<GraphileDispatcher> {
  try {
    await deps.graphile.runMigrations(optionsOf(deps))
    await installTriggers(deps)
  } catch (thrown) {
    await deps.pool.end()
    throw isDenied(thrown) ? denied(deps.schemas, thrown) : thrown
  }
  return new GraphileDispatcher(deps)
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
  readonly #deps: GraphileDeps

  constructor(deps: GraphileDeps) {
    this.#deps = deps
  }

  async dispatch(to: Dispatched, { concurrency, signal }: DispatchOptions): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        await this.#run({ ...optionsOf(this.#deps), concurrency, taskList: tasksOf(to) }, signal)
      } catch (thrown) {
        process.emitWarning(`The engine is tried again: ${messageOf(thrown)}`)
      }
      await sleep(BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)], null, { signal }).catch(() => {})
    }
  }

  /** Until the signal is aborted, or the engine gives up. */
  async #run(options: RunnerOptions, signal: AbortSignal): Promise<void> {
    const runner: Runner = await this.#deps.graphile.run(options)
    let stopped: Promise<void> | null = null
    using _stop = onAbort(signal, () => {
      stopped = runner.stop()
      stopped.catch(() => {})
    })
    await runner.promise
    await stopped
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#deps.pool.end()
  }
}

function tasksOf(to: Dispatched): NonNullable<RunnerOptions['taskList']> {
  return {
    [ADVANCE]: payload => to.onRun(String((payload as { readonly run_id?: unknown }).run_id)),
    [EXPIRE]: () => to.onDue(),
  }
}

/** The worker has signals, output and settings of its own. */
function optionsOf({ graphile, pool, schemas }: GraphileDeps): RunnerOptions {
  return {
    pgPool: pool,
    schema: schemas.engine,
    noHandleSignals: true,
    parsedCronItems: [],
    logger: new graphile.Logger(SILENT),
  }
}

const SILENT: LogFunctionFactory = () => () => {}

/** One of several workers installs. An existing trigger is left alone, because making one blocks all writers. */
async function installTriggers({ pool, schemas }: GraphileDeps): Promise<void> {
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

/**
 * How jobs come into the queue of the engine: triggers on the tables of the store add them, in the transaction that makes a
 * run ready or gives a hold its deadline. So each process that writes to the store enqueues, and none has to know of the
 * engine. All of it is in the engine's own schema, or depends on it: `DROP SCHEMA … CASCADE` takes it away whole.
 */

/** The jobs of the engine. */
const ADVANCE = 'advance'
const EXPIRE = 'expire'

interface Schemas {
  /** The schema of the store. */
  readonly store: string
  /** The schema of the engine. */
  readonly engine: string
}

const IS_READY = (row: string): string => `${row}.status = 'running' AND ${row}.lease_owner IS NULL`
const HAS_DEADLINE = (row: string): string => `${row}.status = 'open' AND ${row}.wake_at IS NOT NULL`

interface Trigger {
  readonly name: string
  readonly sql: (schemas: Schemas) => string
}

const TRIGGERS: readonly Trigger[] = [
  {
    name: 'holdpoint_starts',
    sql: ({ store, engine }) => `CREATE TRIGGER holdpoint_starts AFTER INSERT ON "${store}".runs FOR EACH ROW
      WHEN (${IS_READY('NEW')}) EXECUTE FUNCTION "${engine}".holdpoint_ready()`,
  },
  {
    name: 'holdpoint_ready',
    sql: ({ store, engine }) => `CREATE TRIGGER holdpoint_ready AFTER UPDATE ON "${store}".runs FOR EACH ROW
      WHEN (${IS_READY('NEW')} AND NOT (${IS_READY('OLD')})) EXECUTE FUNCTION "${engine}".holdpoint_ready()`,
  },
  {
    name: 'holdpoint_opens',
    sql: ({ store, engine }) => `CREATE TRIGGER holdpoint_opens AFTER INSERT ON "${store}".holds FOR EACH ROW
      WHEN (${HAS_DEADLINE('NEW')}) EXECUTE FUNCTION "${engine}".holdpoint_due()`,
  },
  {
    name: 'holdpoint_due',
    sql: ({ store, engine }) => `CREATE TRIGGER holdpoint_due AFTER UPDATE ON "${store}".holds FOR EACH ROW
      WHEN ((OLD.status, OLD.wake_at) IS DISTINCT FROM (NEW.status, NEW.wake_at)
        AND (${HAS_DEADLINE('OLD')} OR ${HAS_DEADLINE('NEW')})) EXECUTE FUNCTION "${engine}".holdpoint_due()`,
  },
]

/**
 * The functions run with the rights of their owner, because a writer of the store need not have access to the queue. A
 * failing engine fails nothing else: the sweep of the workers finds the run.
 */
function functionsSql({ engine }: Schemas): string {
  const ready = `PERFORM "${engine}".add_job('${ADVANCE}', json_build_object('run_id', NEW.id), job_key => NEW.id);`
  const due = `
    IF ${HAS_DEADLINE('NEW')} THEN
      PERFORM "${engine}".add_job('${EXPIRE}', json_build_object('hold_id', NEW.id), job_key => NEW.id,
        run_at => to_timestamp(NEW.wake_at / 1000.0));
    ELSE
      PERFORM "${engine}".remove_job(NEW.id);
    END IF;`
  return [functionSql(engine, 'holdpoint_ready', ready), functionSql(engine, 'holdpoint_due', due)].join(';\n')
}

function functionSql(engine: string, name: string, body: string): string {
  return `CREATE OR REPLACE FUNCTION "${engine}".${name}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog AS $$
    BEGIN
      ${body}
      RETURN NULL;
    EXCEPTION WHEN OTHERS THEN
      RAISE WARNING 'The engine of Holdpoint takes no job: %', SQLERRM;
      RETURN NULL;
    END $$`
}
