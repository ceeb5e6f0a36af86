import { RefusedError } from '../../../core/errors.ts'
import { StoreLocation } from '../../../ports/store/store-location.ts'

const SCHEMA = 'holdpoint'
/** A channel is named for its schema, and PostgreSQL cuts names at 63 bytes. */
const NAME = /^[a-z_][a-z0-9_]{0,47}$/
const LOCAL: ReadonlySet<string> = new Set(['', 'localhost', '127.0.0.1', '[::1]'])

/** A URL of a store, read. */
export interface DatabaseUrl {
  /** For the driver. It may have a password. */
  readonly connection: string
  /** For people: without the password. */
  readonly display: string
  /** The schema that has the tables of the store: `?schema=NAME`, default `holdpoint`. */
  readonly schema: string
}

/** Servers elsewhere are reached over TLS with a checked certificate, if the URL does not say otherwise. @throws RefusedError `unknown_store` */
export function readDatabaseUrl(text: string): DatabaseUrl {
  const { display } = new StoreLocation(text)
  const url = URL.parse(text)
  if (!url) throw unknown(display, 'is no URL')
  const schema = url.searchParams.get('schema') ?? SCHEMA
  if (!NAME.test(schema)) throw unknown(display, `names a schema that is no plain name: ${JSON.stringify(schema)}`)
  url.searchParams.delete('schema')
  const isLocal = LOCAL.has(url.hostname) && !url.searchParams.has('host')
  if (!isLocal && !url.searchParams.has('sslmode')) url.searchParams.set('sslmode', 'verify-full')
  return { connection: url.href, display, schema }
}

function unknown(display: string, what: string): RefusedError {
  return new RefusedError('unknown_store', `The store ${JSON.stringify(display)} ${what}.`, {
    hint: 'Use postgres://USER@HOST/DATABASE, with ?schema=NAME for a schema of your choice.',
  })
}
