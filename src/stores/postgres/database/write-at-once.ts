import type { Writable } from 'node:stream'
import type { PoolClient } from 'pg'

/** What is asked of the database until this turn of the event loop is over, a commit too, goes out in one write. */
export function writeAtOnce(client: PoolClient): void {
  // The types of pg leave it out.
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Writable } }).connection
  if (stream.writableCorked > 0) return
  stream.cork()
  setImmediate(() => stream.uncork())
}
