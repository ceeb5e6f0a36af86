import { nearestWord } from '../../../core/text/edit-distance.ts'
import { StoreLocation } from '../../../ports/store/store-location.ts'
import { storeRefusals } from '../../store-refusals.ts'

const SCHEMA = 'holdpoint'
/** A channel is named for its schema, and PostgreSQL cuts names at 63 bytes. */
const NAME = /^[a-z_][a-z0-9_]{0,47}$/
const LOCAL: ReadonlySet<string> = new Set(['', 'localhost', '127.0.0.1', '[::1]'])

/** A URL of a store, read. */
export interface DatabaseUrl {
  /** The URL that the driver gets. It may have a password. */
  readonly connection: string
  /** The URL that people see, without the password. */
  readonly display: string
  /** The schema that has the tables of the store: `?schema=NAME`, default `holdpoint`. */
  readonly schema: string
}

/** Servers elsewhere are reached over TLS with a checked certificate, if the URL does not say otherwise. @throws RefusedError `unknown_store` */
export function readDatabaseUrl(text: string): DatabaseUrl {
  const { display } = new StoreLocation(text)
  const url = URL.parse(text)
  if (!url) throw storeRefusals.misspelt(display, 'is no URL')
  const schema = url.searchParams.get('schema') ?? SCHEMA
  if (!NAME.test(schema))
    throw storeRefusals.misspelt(display, `names a schema that is no plain name: ${JSON.stringify(schema)}`)
  url.searchParams.delete('schema')
  refuseMisspelt(url.searchParams, display)
  const isLocal = LOCAL.has(url.hostname) && !url.searchParams.has('host')
  if (!isLocal && !url.searchParams.has('sslmode')) url.searchParams.set('sslmode', 'verify-full')
  checkInFull(url.searchParams)
  return { connection: url.href, display, schema }
}

/** The driver checks the certificate in full for each of these, and warns that this will change. It is to stay so. */
const CHECKED = ['prefer', 'require', 'verify-ca']

function checkInFull(given: URLSearchParams): void {
  const isLibpq = given.get('uselibpqcompat') === 'true'
  if (!isLibpq && CHECKED.includes(given.get('sslmode') ?? '')) given.set('sslmode', 'verify-full')
}

const OURS = ['schema', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'] as const
const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** The driver passes over what it does not know, and then it would be another store, or a connection in the clear. */
function refuseMisspelt(given: URLSearchParams, display: string): void {
  for (const name of given.keys()) {
    const near = OURS.includes(name as (typeof OURS)[number]) ? null : nearestWord(name, OURS)
    if (near !== null)
      throw storeRefusals.misspelt(display, `has a parameter ${JSON.stringify(name)}. Did you mean ${near}?`)
  }
  const mode = given.get('sslmode')
  if (mode !== null && !SSL_MODES.includes(mode))
    throw storeRefusals.misspelt(
      display,
      `has the sslmode ${JSON.stringify(mode)}, which is none of ${SSL_MODES.join(', ')}`,
    )
}
