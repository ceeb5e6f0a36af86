/** The note of a copy in the store: triggers that are made with it refuse writes to the store. */
export const COPY = `
  CREATE TABLE store_copy (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    record TEXT NOT NULL
  ) STRICT;
`

/** The error of the triggers of a store that moves. */
export const MOVED = 'the store moved'
