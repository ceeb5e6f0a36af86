/**
 * How jobs come into the queue of the engine: triggers on the tables of the store add them, in the transaction that makes a
 * run ready or gives a hold its deadline. So each process that writes to the store enqueues, and none has to know of the
 * engine. All of it is in the engine's own schema, or depends on it: `DROP SCHEMA … CASCADE` takes it away whole.
 */

/** The jobs of the engine. */
export const ADVANCE = 'advance'
export const EXPIRE = 'expire'

export interface Schemas {
  /** Of the store. */
  readonly store: string
  /** Of the engine. */
  readonly engine: string
}

const IS_READY = (row: string): string => `${row}.status = 'running' AND ${row}.lease_owner IS NULL`
const HAS_DEADLINE = (row: string): string => `${row}.status = 'open' AND ${row}.wake_at IS NOT NULL`

interface Trigger {
  readonly name: string
  readonly sql: (schemas: Schemas) => string
}

export const TRIGGERS: readonly Trigger[] = [
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
 * They run with the rights of their owner, as who may write to the store need not be allowed to write to the queue. An
 * engine that fails fails nothing else: the sweep of the workers finds the run.
 */
export function functionsSql({ engine }: Schemas): string {
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
