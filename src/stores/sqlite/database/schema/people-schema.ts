/** The callers of the server, by digests of their secrets. */
export const ACCESS = `
  CREATE TABLE access (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    kind       TEXT NOT NULL,
    name       TEXT NOT NULL,
    role       TEXT NOT NULL,
    digest     TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    revoked_by TEXT
  ) STRICT;
`

/** Messages to people, with what is left to do for them; links that decide; people who are signed in. */
export const NOTICES = `
  CREATE TABLE notices (
    number        INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    hold_id       TEXT NOT NULL,
    event         TEXT NOT NULL,
    about         TEXT NOT NULL,
    at            INTEGER NOT NULL,
    person        TEXT,
    channel       TEXT NOT NULL,
    address       TEXT NOT NULL,
    status        TEXT NOT NULL,
    tries         INTEGER NOT NULL DEFAULT 0,
    next_at       INTEGER,
    claimed_until INTEGER,
    unsure        INTEGER NOT NULL DEFAULT 0,
    stale         INTEGER NOT NULL DEFAULT 0,
    sent          TEXT,
    sent_at       INTEGER,
    digest        TEXT,
    error         TEXT,
    created_at    INTEGER NOT NULL,
    UNIQUE (hold_id, event, about, channel, address)
  ) STRICT;
  CREATE INDEX notices_to_do ON notices (channel, address, number) WHERE next_at IS NOT NULL;
  CREATE INDEX notices_next ON notices (channel, next_at) WHERE next_at IS NOT NULL;
  CREATE INDEX notices_claimed ON notices (claimed_until) WHERE claimed_until IS NOT NULL;
  CREATE INDEX notices_sent ON notices (channel, address, sent_at) WHERE sent_at IS NOT NULL;
  CREATE INDEX notices_of_digest ON notices (digest) WHERE digest IS NOT NULL;
  CREATE INDEX notices_failed ON notices (number) WHERE status = 'failed';
  CREATE TABLE links (
    digest     TEXT PRIMARY KEY,
    hold_id    TEXT NOT NULL,
    person     TEXT NOT NULL,
    channel    TEXT NOT NULL,
    level      INTEGER NOT NULL,
    assignee   TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    used_at    INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX links_of_hold ON links (hold_id);
  CREATE TABLE sessions (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    kind       TEXT NOT NULL,
    name       TEXT NOT NULL,
    role       TEXT NOT NULL,
    groups     TEXT NOT NULL,
    proof      TEXT NOT NULL,
    digest     TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    ended_at   INTEGER,
    ended_by   TEXT
  ) STRICT;
  CREATE INDEX sessions_of_person ON sessions (name);
`

/** Where processes may decide, since each start of a machine. */
export const PLACES = `
  CREATE TABLE places (
    boot       TEXT NOT NULL,
    namespaces TEXT NOT NULL,
    trusted_at INTEGER NOT NULL,
    trusted_by TEXT,
    PRIMARY KEY (boot, namespaces)
  ) STRICT;
`

/** Browsers that get pushes. The names, roles and groups that count are those of their sessions and tokens. */
export const SUBSCRIPTIONS = `
  CREATE TABLE subscriptions (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    session_id TEXT,
    token_id   TEXT,
    endpoint   TEXT NOT NULL UNIQUE,
    p256dh     TEXT NOT NULL,
    auth       TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE push_keys (
    one         INTEGER PRIMARY KEY CHECK (one = 1),
    public_key  TEXT NOT NULL,
    private_key TEXT NOT NULL
  ) STRICT;
`
