import { SEQ_BITS } from '../../../thread-full.ts'
import { COPY } from './copy-schema.ts'
import { FLEET, FOLDS, OUTAGES, WORKERS } from './fleet-schema.ts'
import { GRAPHS } from './graph-schema.ts'
import { ACCESS, NOTICES, PLACES, SUBSCRIPTIONS } from './people-schema.ts'

/** Which settings of a channel had its receiver say that it wants no more. */
const REFUSING_RECEIVERS = `
  ALTER TABLE notices ADD COLUMN refused_with TEXT;
  CREATE INDEX notices_refused ON notices (channel, address) WHERE refused_with IS NOT NULL;
`

/**
 * The audit log (P10); `audit_head` is its newest record whose loss no journal would show. Events of a thread from
 * before there was a log, or that are copies, are not on record here.
 */
const AUDIT = `
  CREATE TABLE audit (
    seq    INTEGER PRIMARY KEY,
    record TEXT NOT NULL,
    hash   TEXT NOT NULL
  ) STRICT;
  CREATE TABLE audit_head (
    one  INTEGER PRIMARY KEY CHECK (one = 1),
    seq  INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  ALTER TABLE threads ADD COLUMN audited_after INTEGER NOT NULL DEFAULT 0;
  UPDATE threads SET audited_after = coalesce((SELECT max(place) - (number << ${SEQ_BITS}) FROM events
    WHERE place > number << ${SEQ_BITS} AND place < (number + 1) << ${SEQ_BITS}), 0);
`.trim()

/**
 * Each entry takes the database from the version of its index to the next. Never edited, only added to.
 * An event's place is its thread's number shifted left by 22 bits, plus its seq: a journal is one range of rowids, so
 * appending touches the last page only and reading it needs no index.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE threads (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE events (
    place  INTEGER PRIMARY KEY,
    at     INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    kind   TEXT NOT NULL,
    data   TEXT NOT NULL
  ) STRICT;
  CREATE TABLE runs (
    number        INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    thread        INTEGER NOT NULL REFERENCES threads (number),
    agent         TEXT NOT NULL,
    status        TEXT NOT NULL,
    hold_scope    TEXT NOT NULL,
    checkpoint_id TEXT,
    ended         TEXT,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    lease_owner   TEXT,
    lease_until   INTEGER,
    fence         INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX runs_of_thread ON runs (thread, number);
  CREATE INDEX runs_not_done ON runs (status, number) WHERE status <> 'done';
  CREATE TABLE holds (
    number    INTEGER PRIMARY KEY,
    id        TEXT NOT NULL UNIQUE,
    run_id    TEXT NOT NULL,
    thread_id TEXT NOT NULL,
    call_id   TEXT,
    kind      TEXT NOT NULL,
    status    TEXT NOT NULL,
    tool      TEXT,
    opened_at INTEGER NOT NULL,
    due_at    INTEGER,
    on_due    TEXT,
    asked     TEXT NOT NULL,
    decision  TEXT
  ) STRICT;
  CREATE INDEX holds_open ON holds (number) WHERE status = 'open';
  CREATE INDEX holds_of_run ON holds (run_id, number);
  CREATE INDEX holds_of_thread ON holds (thread_id, number);
  `,
  // A kind that is rarely open is found without reading the rows of the others, and what is open in a run or thread
  // without reading all that was ever asked there.
  `
  DROP INDEX holds_open;
  DROP INDEX holds_of_run;
  DROP INDEX holds_of_thread;
  CREATE INDEX holds_open ON holds (number, kind) WHERE status = 'open';
  CREATE INDEX holds_of_run ON holds (run_id, status, number);
  CREATE INDEX holds_of_thread ON holds (thread_id, status, number);
  `,
  // Time: when something happens to an open hold next. People: who is asked, who approved so far, what they always allow.
  `
  ALTER TABLE holds ADD COLUMN agent TEXT NOT NULL DEFAULT '';
  ALTER TABLE holds ADD COLUMN assignee TEXT;
  ALTER TABLE holds ADD COLUMN level INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE holds ADD COLUMN reminded INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE holds ADD COLUMN wake_at INTEGER;
  ALTER TABLE holds ADD COLUMN votes TEXT;
  UPDATE holds SET agent = coalesce((SELECT agent FROM runs WHERE runs.id = holds.run_id), '');
  CREATE INDEX holds_due ON holds (wake_at, number) WHERE status = 'open' AND wake_at IS NOT NULL;
  CREATE TABLE grants (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    agent      TEXT NOT NULL,
    tool       TEXT NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    revoked_by TEXT,
    uses       INTEGER NOT NULL DEFAULT 0,
    given      TEXT NOT NULL
  ) STRICT;
  CREATE INDEX grants_of_tool ON grants (agent, tool);
  ${AUDIT}
  `,
  // Tasks, and whose agent started a run. Tasks that are over leave the index of those that are not. Threads that moved
  // to another store, and those that came from one.
  `
  CREATE TABLE tasks (
    number              INTEGER PRIMARY KEY,
    id                  TEXT NOT NULL UNIQUE,
    status              TEXT NOT NULL,
    newest              INTEGER NOT NULL,
    kind                TEXT NOT NULL,
    title               TEXT NOT NULL,
    subject             TEXT,
    details             TEXT NOT NULL,
    workdir             TEXT NOT NULL,
    timeout_ms          INTEGER,
    created_at          INTEGER NOT NULL,
    updated_at          INTEGER NOT NULL,
    cancel_requested_by TEXT
  ) STRICT;
  CREATE UNIQUE INDEX tasks_by_subject ON tasks (subject) WHERE subject IS NOT NULL;
  CREATE INDEX tasks_not_over ON tasks (status, number) WHERE status IN ('pending', 'running', 'paused');
  CREATE TABLE task_invocations (
    number       INTEGER PRIMARY KEY,
    task         INTEGER NOT NULL REFERENCES tasks (number),
    n            INTEGER NOT NULL,
    status       TEXT NOT NULL,
    argv         TEXT NOT NULL,
    asked_by     TEXT NOT NULL,
    surface      TEXT NOT NULL,
    asked_at     INTEGER NOT NULL,
    started_at   INTEGER,
    ended_at     INTEGER,
    supervisor   TEXT,
    process      TEXT,
    exit_code    INTEGER,
    signal       TEXT,
    error        TEXT,
    stdout_bytes INTEGER,
    stderr_bytes INTEGER,
    UNIQUE (task, n)
  ) STRICT;
  ALTER TABLE runs ADD COLUMN parent_run_id TEXT;
  CREATE INDEX runs_of_parent ON runs (parent_run_id, number) WHERE parent_run_id IS NOT NULL;
  CREATE TABLE exports (
    thread INTEGER PRIMARY KEY REFERENCES threads (number),
    record TEXT NOT NULL
  ) STRICT;
  CREATE TABLE imports (
    number    INTEGER PRIMARY KEY,
    bundle_id TEXT NOT NULL UNIQUE,
    thread_id TEXT NOT NULL,
    record    TEXT NOT NULL
  ) STRICT;
  CREATE INDEX imports_of_thread ON imports (thread_id, number);
  `,
  // The starts and ends of runs are on record from here on, and readers of the record keep their place. Messages have ids.
  `
  ALTER TABLE threads ADD COLUMN runs_audited_after INTEGER NOT NULL DEFAULT 0;
  UPDATE threads SET runs_audited_after = coalesce((SELECT max(place) - (number << ${SEQ_BITS}) FROM events
    WHERE place > number << ${SEQ_BITS} AND place < (number + 1) << ${SEQ_BITS}), 0);
  CREATE TABLE cursors (
    name TEXT PRIMARY KEY,
    seq  INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE secret (value TEXT NOT NULL) STRICT;
  INSERT INTO secret VALUES (lower(hex(randomblob(32))));
  CREATE TABLE inputs (
    thread   INTEGER NOT NULL REFERENCES threads (number),
    input_id TEXT NOT NULL,
    seq      INTEGER NOT NULL,
    PRIMARY KEY (thread, input_id)
  ) STRICT, WITHOUT ROWID;
  `,
  ACCESS,
  NOTICES,
  `${FLEET}${REFUSING_RECEIVERS}`,
  GRAPHS,
  COPY,
  // A file is of one machine: the column is for copies from stores that several hosts share.
  'ALTER TABLE tasks ADD COLUMN host TEXT;',
  PLACES,
  SUBSCRIPTIONS,
  WORKERS,
  OUTAGES,
  FOLDS,
]
