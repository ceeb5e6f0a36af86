/** `Hold`, as SQLite's application id: it marks our files. */
export const APPLICATION = 0x486f6c64

const PAGE = 4096

/**
 * A database without tables that has a log, as SQLite writes it. A new store begins with it: SQLite takes an empty file
 * for a new one and deletes the log beside it, so an empty file has to be damage.
 */
export function emptyDatabase(): Uint8Array {
  const page = Buffer.alloc(PAGE)
  page.write('SQLite format 3\0', 'latin1')
  page.writeUInt16BE(PAGE, 16)
  // Both versions of the format say that there is a log; then fractions of a page that SQLite fixes.
  page.set([2, 2, 0, 64, 32, 32], 18)
  page.writeUInt32BE(1, 24)
  page.writeUInt32BE(1, 28)
  page.writeUInt32BE(APPLICATION, 68)
  page.writeUInt32BE(1, 92)
  page.writeUInt32BE(WRITTEN_BY, 96)
  // An empty leaf of the table of tables: its cells would begin at the end of the page.
  page.writeUInt8(LEAF, 100)
  page.writeUInt16BE(PAGE, 105)
  return page
}

/** A version of SQLite; any one will do. */
const WRITTEN_BY = 3_050_000
const LEAF = 0x0d
