/** The state of graphs: checkpoints, the values of their channels by version, and what tasks wrote since. */
export const GRAPHS = `
  CREATE TABLE graph_checkpoints (
    thread        TEXT NOT NULL,
    namespace     TEXT NOT NULL,
    id            TEXT NOT NULL,
    parent        TEXT,
    type          TEXT NOT NULL,
    value         BLOB NOT NULL,
    metadata_type TEXT NOT NULL,
    metadata      BLOB NOT NULL,
    versions      TEXT NOT NULL,
    PRIMARY KEY (thread, namespace, id)
  ) STRICT;
  CREATE INDEX graph_checkpoints_by_time ON graph_checkpoints (id, thread, namespace);
  CREATE TABLE graph_channels (
    thread    TEXT NOT NULL,
    namespace TEXT NOT NULL,
    channel   TEXT NOT NULL,
    version   TEXT NOT NULL,
    type      TEXT NOT NULL,
    value     BLOB NOT NULL,
    PRIMARY KEY (thread, namespace, channel, version)
  ) STRICT;
  CREATE TABLE graph_writes (
    thread     TEXT NOT NULL,
    namespace  TEXT NOT NULL,
    checkpoint TEXT NOT NULL,
    task       TEXT NOT NULL,
    path       TEXT NOT NULL,
    place      INTEGER NOT NULL,
    channel    TEXT NOT NULL,
    type       TEXT NOT NULL,
    value      BLOB NOT NULL,
    PRIMARY KEY (thread, namespace, checkpoint, task, place)
  ) STRICT;
`
