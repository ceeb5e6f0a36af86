/** The callers of the server, messages to people, links that decide, and people who are signed in. */
export const PEOPLE = `
  CREATE TABLE @access (
    number     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         text COLLATE "C" NOT NULL UNIQUE,
    kind       text NOT NULL,
    name       text NOT NULL,
    role       text NOT NULL,
    digest     text COLLATE "C" NOT NULL UNIQUE,
    created_at bigint NOT NULL,
    created_by text NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    revoked_by text
  );
  CREATE TABLE @notices (
    number        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id            text COLLATE "C" NOT NULL UNIQUE,
    hold_id       text COLLATE "C" NOT NULL,
    event         text COLLATE "C" NOT NULL,
    about         text COLLATE "C" NOT NULL,
    at            bigint NOT NULL,
    person        text,
    channel       text COLLATE "C" NOT NULL,
    address       text COLLATE "C" NOT NULL,
    status        text COLLATE "C" NOT NULL,
    tries         integer NOT NULL DEFAULT 0,
    next_at       bigint,
    claimed_until bigint,
    unsure        boolean NOT NULL DEFAULT false,
    stale         boolean NOT NULL DEFAULT false,
    sent          text,
    sent_at       bigint,
    digest        text COLLATE "C",
    error         text,
    refused_with  text,
    created_at    bigint NOT NULL,
    UNIQUE (hold_id, event, about, channel, address)
  );
  CREATE INDEX notices_to_do ON @notices (channel, address, number) WHERE next_at IS NOT NULL;
  CREATE INDEX notices_next ON @notices (channel, next_at) WHERE next_at IS NOT NULL;
  CREATE INDEX notices_claimed ON @notices (claimed_until) WHERE claimed_until IS NOT NULL;
  CREATE INDEX notices_sent ON @notices (channel, address, sent_at) WHERE sent_at IS NOT NULL;
  CREATE INDEX notices_of_digest ON @notices (digest) WHERE digest IS NOT NULL;
  CREATE INDEX notices_failed ON @notices (number) WHERE status = 'failed';
  CREATE INDEX notices_refused ON @notices (channel, address) WHERE refused_with IS NOT NULL;
  CREATE TABLE @links (
    digest     text COLLATE "C" PRIMARY KEY,
    hold_id    text COLLATE "C" NOT NULL,
    person     text NOT NULL,
    channel    text NOT NULL,
    level      integer NOT NULL,
    assignee   text,
    created_at bigint NOT NULL,
    expires_at bigint,
    used_at    bigint
  );
  CREATE INDEX links_of_hold ON @links (hold_id);
  CREATE TABLE @sessions (
    number     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         text COLLATE "C" NOT NULL UNIQUE,
    kind       text NOT NULL,
    name       text COLLATE "C" NOT NULL,
    role       text NOT NULL,
    groups     text NOT NULL,
    proof      text NOT NULL,
    digest     text COLLATE "C" NOT NULL UNIQUE,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    ended_at   bigint,
    ended_by   text
  );
  CREATE INDEX sessions_of_person ON @sessions (name);
`

/** Where processes may decide, since each start of a machine. */
export const PLACES = `
  CREATE TABLE @places (
    number     bigint GENERATED ALWAYS AS IDENTITY,
    boot       text COLLATE "C" NOT NULL,
    namespaces text COLLATE "C" NOT NULL,
    trusted_at bigint NOT NULL,
    trusted_by text,
    PRIMARY KEY (boot, namespaces)
  )
`

/** Browsers that get pushes. The names, roles and groups that count are those of their sessions and tokens. */
export const SUBSCRIPTIONS = `
  CREATE TABLE @subscriptions (
    number     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         text COLLATE "C" NOT NULL UNIQUE,
    name       text COLLATE "C" NOT NULL,
    session_id text COLLATE "C",
    token_id   text COLLATE "C",
    endpoint   text COLLATE "C" NOT NULL UNIQUE,
    p256dh     text NOT NULL,
    auth       text NOT NULL,
    created_at bigint NOT NULL
  );
  CREATE TABLE @push_keys (
    one         integer PRIMARY KEY CHECK (one = 1),
    public_key  text NOT NULL,
    private_key text NOT NULL
  )
`
