import { COPY } from './copy-schema.ts'
import { GRAPHS } from './graph-schema.ts'
import { PEOPLE, PLACES, SUBSCRIPTIONS } from './people-schema.ts'
import { FOLDS, HOSTS, OUTAGES, TASKS, TASKS_BY_HOST, WORKERS } from './task-schema.ts'

/**
 * Which thread is followed by which process, and until when that counts. Unlogged: each row is renewed every few seconds, so
 * a database that lost them in a crash, a backup and a replica have no use for them.
 */
const FOLLOWERS = `
  CREATE UNLOGGED TABLE @followers (
    thread_id text COLLATE "C" NOT NULL,
    follower  text COLLATE "C" NOT NULL,
    until     bigint NOT NULL,
    PRIMARY KEY (thread_id, follower)
  );
`

/**
 * Times are milliseconds since 1970. Documents are `text`, as `jsonb` would reorder keys and rewrite numbers, and hashes are
 * over the text. `threads.newest` is locked by each append, so of a journal any reader sees a prefix.
 */
const THREADS = `
  CREATE TABLE @threads (
    number             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id                 text COLLATE "C" NOT NULL UNIQUE,
    created_at         bigint NOT NULL,
    newest             integer NOT NULL DEFAULT 0,
    audited_after      integer NOT NULL DEFAULT 0,
    runs_audited_after integer NOT NULL DEFAULT 0
  );
  CREATE TABLE @events (
    thread bigint NOT NULL,
    seq    integer NOT NULL,
    at     bigint NOT NULL,
    run_id text COLLATE "C" NOT NULL,
    kind   text COLLATE "C" NOT NULL,
    data   text NOT NULL,
    PRIMARY KEY (thread, seq)
  );
  CREATE TABLE @inputs (
    thread   bigint NOT NULL,
    input_id text COLLATE "C" NOT NULL,
    seq      integer NOT NULL,
    PRIMARY KEY (thread, input_id)
  );
  CREATE TABLE @exports (thread bigint PRIMARY KEY, record text NOT NULL);
  CREATE TABLE @imports (
    number    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    bundle_id text COLLATE "C" NOT NULL UNIQUE,
    thread_id text COLLATE "C" NOT NULL,
    record    text NOT NULL
  );
  CREATE INDEX imports_of_thread ON @imports (thread_id, number);
`

const RUNS = `
  CREATE TABLE @runs (
    number        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id            text COLLATE "C" NOT NULL UNIQUE,
    thread        bigint NOT NULL,
    agent         text COLLATE "C" NOT NULL,
    status        text COLLATE "C" NOT NULL,
    hold_scope    text NOT NULL,
    parent_run_id text COLLATE "C",
    checkpoint_id text COLLATE "C",
    ended         text,
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL,
    lease_owner   text COLLATE "C",
    lease_until   bigint,
    fence         bigint NOT NULL DEFAULT 0
  );
  CREATE INDEX runs_of_thread ON @runs (thread, number);
  CREATE INDEX runs_not_done ON @runs (status, number) WHERE status <> 'done';
  CREATE INDEX runs_of_parent ON @runs (parent_run_id, number) WHERE parent_run_id IS NOT NULL;
`

const HOLDS = `
  CREATE TABLE @holds (
    number    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id        text COLLATE "C" NOT NULL UNIQUE,
    run_id    text COLLATE "C" NOT NULL,
    thread_id text COLLATE "C" NOT NULL,
    agent     text COLLATE "C" NOT NULL,
    call_id   text COLLATE "C",
    kind      text COLLATE "C" NOT NULL,
    status    text COLLATE "C" NOT NULL,
    tool      text COLLATE "C",
    assignee  text COLLATE "C",
    opened_at bigint NOT NULL,
    due_at    bigint,
    on_due    text,
    level     integer NOT NULL DEFAULT 0,
    reminded  integer NOT NULL DEFAULT 0,
    wake_at   bigint,
    votes     text,
    asked     text NOT NULL,
    decision  text
  );
  CREATE INDEX holds_open ON @holds (number, kind) WHERE status = 'open';
  CREATE INDEX holds_by_due ON @holds (coalesce(due_at, 9000000000000000), number) WHERE status = 'open';
  CREATE INDEX holds_due ON @holds (wake_at, number) WHERE status = 'open' AND wake_at IS NOT NULL;
  CREATE INDEX holds_of_run ON @holds (run_id, status, number);
  CREATE INDEX holds_of_thread ON @holds (thread_id, status, number);
  CREATE TABLE @grants (
    number     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         text COLLATE "C" NOT NULL UNIQUE,
    agent      text COLLATE "C" NOT NULL,
    tool       text COLLATE "C" NOT NULL,
    scope      text COLLATE "C" NOT NULL,
    scope_id   text COLLATE "C" NOT NULL,
    hold_id    text COLLATE "C" NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    revoked_by text,
    uses       bigint NOT NULL DEFAULT 0,
    given      text NOT NULL
  );
  CREATE INDEX grants_of_hold ON @grants (hold_id);
  CREATE INDEX grants_of_scope ON @grants (scope_id, number) WHERE scope <> 'project';
  CREATE INDEX grants_of_tool ON @grants (agent, tool);
`

/**
 * P10: a transaction puts its records into `audit_pending`, unchained, so that no writer waits for another at the end
 * of the chain. A process that locks the row of the head moves them into `audit`, where readers find them.
 */
const AUDIT = `
  CREATE TABLE @audit_pending (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at     bigint NOT NULL,
    record text NOT NULL
  );
  CREATE TABLE @audit (seq bigint PRIMARY KEY, record text NOT NULL, hash text NOT NULL);
  CREATE TABLE @audit_head (one integer PRIMARY KEY CHECK (one = 1), seq bigint NOT NULL, hash text NOT NULL);
  INSERT INTO @audit_head VALUES (1, 0, repeat('0', 64));
  CREATE TABLE @cursors (name text COLLATE "C" PRIMARY KEY, seq bigint NOT NULL);
  CREATE TABLE @secret (value text NOT NULL);
  INSERT INTO @secret VALUES (replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''));
`

const VERSION = `
  CREATE TABLE @schema_version (one integer PRIMARY KEY CHECK (one = 1), version integer NOT NULL);
  INSERT INTO @schema_version VALUES (1, 0);
`

/** Each entry takes the schema from the version of its index to the next. Never edited after a release, only added to. */
export const MIGRATIONS: readonly string[] = [
  [VERSION, THREADS, RUNS, HOLDS, AUDIT, TASKS, PEOPLE].join('\n'),
  GRAPHS,
  COPY,
  FOLLOWERS,
  HOSTS,
  TASKS_BY_HOST,
  PLACES,
  SUBSCRIPTIONS,
  WORKERS,
  OUTAGES,
  FOLDS,
]
