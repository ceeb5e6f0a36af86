/**
 * Which thread is followed by which process, and until when that counts. Unlogged: each row is renewed every few seconds, so
 * a database that lost them in a crash, a backup and a replica have no use for them.
 */
export const FOLLOWERS = `
  CREATE UNLOGGED TABLE @followers (
    thread_id text COLLATE "C" NOT NULL,
    follower  text COLLATE "C" NOT NULL,
    until     bigint NOT NULL,
    PRIMARY KEY (thread_id, follower)
  );
`
