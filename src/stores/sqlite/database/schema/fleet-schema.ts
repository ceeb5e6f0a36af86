/** The processes of background agents, and the one daemon of the store. */
export const FLEET = `
  CREATE TABLE presences (
    task          INTEGER PRIMARY KEY REFERENCES tasks (number),
    invocation    INTEGER NOT NULL,
    process       TEXT NOT NULL,
    endpoint      TEXT NOT NULL,
    protocol      INTEGER NOT NULL,
    token         TEXT NOT NULL,
    clients       INTEGER NOT NULL DEFAULT 0,
    writer        TEXT,
    queued        INTEGER NOT NULL DEFAULT 0,
    last_error    TEXT,
    last_input_at INTEGER,
    last_left_at  INTEGER,
    updated_at    INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE daemon (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    process    TEXT NOT NULL,
    endpoint   TEXT NOT NULL,
    version    TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    stop       TEXT
  ) STRICT;
`

/** Who advances runs, and why the newest try to advance one failed. */
export const WORKERS = `
  CREATE TABLE workers (
    process TEXT PRIMARY KEY,
    agents  TEXT NOT NULL,
    seen_at INTEGER NOT NULL
  ) STRICT;
  ALTER TABLE runs ADD COLUMN failure TEXT;
`

/** Until when runs wait for the provider of their model. */
/** Folds of long journals, each derived from its journal. */
export const FOLDS = `
  CREATE TABLE folds (
    thread  INTEGER PRIMARY KEY REFERENCES threads (number),
    version INTEGER NOT NULL,
    fold    BLOB NOT NULL
  ) STRICT;
`

export const OUTAGES = `
  ALTER TABLE runs ADD COLUMN retry_at INTEGER;
  CREATE INDEX runs_by_retry ON runs (retry_at) WHERE retry_at IS NOT NULL;
`
