/** Tasks, the processes of background agents, and the daemons: one for each host. */
export const TASKS = `
  CREATE TABLE @tasks (
    number              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id                  text COLLATE "C" NOT NULL UNIQUE,
    status              text COLLATE "C" NOT NULL,
    newest              integer NOT NULL,
    kind                text COLLATE "C" NOT NULL,
    title               text NOT NULL,
    subject             text COLLATE "C",
    details             text NOT NULL,
    workdir             text NOT NULL,
    timeout_ms          bigint,
    created_at          bigint NOT NULL,
    updated_at          bigint NOT NULL,
    cancel_requested_by text
  );
  CREATE UNIQUE INDEX tasks_by_subject ON @tasks (subject) WHERE subject IS NOT NULL;
  CREATE INDEX tasks_not_over ON @tasks (status, number) WHERE status IN ('pending', 'running', 'paused');
  CREATE TABLE @task_invocations (
    number       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    task         bigint NOT NULL REFERENCES @tasks (number),
    n            integer NOT NULL,
    status       text NOT NULL,
    argv         text NOT NULL,
    asked_by     text NOT NULL,
    surface      text NOT NULL,
    asked_at     bigint NOT NULL,
    started_at   bigint,
    ended_at     bigint,
    supervisor   text,
    process      text,
    exit_code    integer,
    signal       text,
    error        text,
    stdout_bytes bigint,
    stderr_bytes bigint,
    UNIQUE (task, n)
  );
  CREATE TABLE @presences (
    task          bigint PRIMARY KEY REFERENCES @tasks (number),
    invocation    integer NOT NULL,
    process       text NOT NULL,
    endpoint      text NOT NULL,
    protocol      integer NOT NULL,
    token         text NOT NULL,
    clients       integer NOT NULL DEFAULT 0,
    writer        text,
    queued        integer NOT NULL DEFAULT 0,
    last_error    text,
    last_input_at bigint,
    last_left_at  bigint,
    updated_at    bigint NOT NULL
  );
  CREATE TABLE @daemons (
    host       text COLLATE "C" PRIMARY KEY,
    process    text NOT NULL,
    endpoint   text NOT NULL,
    version    text NOT NULL,
    started_at bigint NOT NULL,
    stop       text
  );
`

/** The machines that share the store, and whose each task is. */
export const HOSTS = `
  CREATE TABLE @hosts (
    id      text COLLATE "C" PRIMARY KEY,
    name    text NOT NULL,
    address text,
    output  text,
    seen_at bigint
  );
  ALTER TABLE @tasks ADD COLUMN host text COLLATE "C";
`

export const TASKS_BY_HOST = `CREATE INDEX tasks_by_host ON @tasks (host) WHERE host IS NOT NULL`

/** Who advances runs, and why the newest try to advance one failed. */
export const WORKERS = `
  CREATE TABLE @workers (
    process text COLLATE "C" PRIMARY KEY,
    agents  text NOT NULL,
    seen_at bigint NOT NULL
  );
  ALTER TABLE @runs ADD COLUMN failure text;
`

/** Until when runs wait for the provider of their model. */
/** Folds of long journals, each derived from its journal. */
export const FOLDS = `
  CREATE TABLE @folds (
    thread  bigint PRIMARY KEY,
    version integer NOT NULL,
    fold    bytea NOT NULL
  );
`

export const OUTAGES = `
  ALTER TABLE @runs ADD COLUMN retry_at bigint;
  CREATE INDEX runs_by_retry ON @runs (retry_at) WHERE retry_at IS NOT NULL;
`
