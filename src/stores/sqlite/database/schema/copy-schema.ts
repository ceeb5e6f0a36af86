/** What a copy of the store notes: the store refuses writes by triggers that are made with it. */
export const COPY = `
  CREATE TABLE store_copy (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    record TEXT NOT NULL
  ) STRICT;
`

/** What the triggers of a store that moves say. */
export const MOVED = 'the store moved'
