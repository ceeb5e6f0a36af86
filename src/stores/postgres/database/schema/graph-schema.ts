/** The state of graphs: checkpoints, the values of their channels by version, and what tasks wrote since. */
export const GRAPHS = `
  CREATE TABLE @graph_checkpoints (
    thread        text COLLATE "C" NOT NULL,
    namespace     text COLLATE "C" NOT NULL,
    id            text COLLATE "C" NOT NULL,
    parent        text COLLATE "C",
    type          text NOT NULL,
    value         bytea NOT NULL,
    metadata_type text NOT NULL,
    metadata      bytea NOT NULL,
    versions      text NOT NULL,
    PRIMARY KEY (thread, namespace, id)
  );
  CREATE INDEX graph_checkpoints_by_time ON @graph_checkpoints (id, thread, namespace);
  CREATE TABLE @graph_channels (
    thread    text COLLATE "C" NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    channel   text COLLATE "C" NOT NULL,
    version   text COLLATE "C" NOT NULL,
    type      text NOT NULL,
    value     bytea NOT NULL,
    PRIMARY KEY (thread, namespace, channel, version)
  );
  CREATE TABLE @graph_writes (
    thread     text COLLATE "C" NOT NULL,
    namespace  text COLLATE "C" NOT NULL,
    checkpoint text COLLATE "C" NOT NULL,
    task       text COLLATE "C" NOT NULL,
    path       text COLLATE "C" NOT NULL,
    place      integer NOT NULL,
    channel    text COLLATE "C" NOT NULL,
    type       text NOT NULL,
    value      bytea NOT NULL,
    PRIMARY KEY (thread, namespace, checkpoint, task, place)
  );
`
