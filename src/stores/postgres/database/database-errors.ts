import { HoldpointError, messageOf } from '../../../core/errors.ts'
import type { Written } from '../../../core/store-write.ts'
import { type CopyMark, readMark, refusesWrites } from '../../copy/copy-mark.ts'
import { StoreError } from '../../store-error.ts'
import { isUnreachable } from './lost-connections.ts'

type Saying = readonly [code: string, meaning: string, hint: string]

const UNAVAILABLE: Saying = [
  'store_unavailable',
  'the database does not answer',
  'See whether it runs and can be reached from here, and run the command again.',
]
const DENIED: Saying = [
  'store_denied',
  'the database refuses this user',
  'Check the user, its password and its rights on the schema.',
]
const BUSY: Saying = [
  'store_busy',
  'another process kept it locked',
  'Try again; if it stays so, see what holds the lock.',
]
const FULL: Saying = [
  'store_full',
  'the database has no room',
  'Make room and run the command again: nothing was half written.',
]

const NOT_TRUSTED: Saying = [
  'store_unavailable',
  'the certificate of the server is not trusted',
  'Name the certificate of its authority with ?sslrootcert=FILE in the URL.',
]

/** Faults without a code, or that a code says too little of, by the words of the driver or the server. */
const SAYINGS_BY_WORDS: readonly (readonly [words: RegExp, saying: Saying])[] = [
  [
    /does not support SSL/,
    [
      'store_unavailable',
      'it takes no encrypted connections',
      'Turn TLS on at the server. If you trust the network between, add ?sslmode=disable to the URL.',
    ],
  ],
  [
    /empty password|password must be a string/,
    [
      'store_denied',
      'no password was given',
      'Put it into the URL in HOLDPOINT_STORE, into PGPASSWORD, or into the file that PGPASSFILE names.',
    ],
  ],
]

/** PostgreSQL's codes, and Node's, as far as a user can do something about them. The longest beginning of a code counts. */
const SAYINGS: Readonly<Record<string, Saying>> = {
  '08': UNAVAILABLE,
  '57P': UNAVAILABLE,
  '53': UNAVAILABLE,
  '28': DENIED,
  '42501': DENIED,
  '3D': ['store_unopenable', 'there is no such database', 'Make the database, or name another one with --store.'],
  '25006': [
    'store_readonly',
    'it may not be written',
    'Name the primary database with --store, not a replica, and a user that may write.',
  ],
  '53100': FULL,
  '53300': [
    'store_unavailable',
    'it takes no more connections',
    'Try again, or raise max_connections, or the limit of the user: a process of Holdpoint takes up to 9.',
  ],
  '55P03': BUSY,
  '57014': BUSY,
  SELF_SIGNED: NOT_TRUSTED,
  DEPTH_ZERO: NOT_TRUSTED,
  UNABLE_TO_: NOT_TRUSTED,
  CERT_: NOT_TRUSTED,
  ERR_TLS: NOT_TRUSTED,
  ECONNREFUSED: UNAVAILABLE,
  ECONNRESET: UNAVAILABLE,
  EPIPE: UNAVAILABLE,
  ETIMEDOUT: UNAVAILABLE,
  ENOTFOUND: UNAVAILABLE,
  EAI_AGAIN: UNAVAILABLE,
  ENOENT: UNAVAILABLE,
}

/** The transaction was undone because of others, and may be tried again as it is. */
const UNDONE_BY_OTHERS: ReadonlySet<string> = new Set(['40001', '40P01'])

export function isUndoneByOthers(thrown: unknown): boolean {
  return UNDONE_BY_OTHERS.has(codeOf(thrown) ?? '')
}

/** The connection has no statement of this name, or has one of another client: a pooler changed the connection. */
const LOST_STATEMENT: ReadonlySet<string> = new Set(['26000', '42P05'])

export function isLostStatement(thrown: unknown): boolean {
  return LOST_STATEMENT.has(codeOf(thrown) ?? '')
}

export function isReadOnly(thrown: unknown): boolean {
  return codeOf(thrown) === '25006'
}

/** The code of the trigger that refuses writes to a store that moved. Its detail is the mark of the copy. */
const MOVED = 'HP001'

function markOf(thrown: unknown): CopyMark | null {
  const detail = thrown instanceof Error && 'detail' in thrown ? thrown.detail : null
  return readMark(detail || null)
}

/** Refusals of ours stay as they are. */
export function asStoreError(thrown: unknown, display: string, written: Written = 'no'): unknown {
  if (thrown instanceof HoldpointError) return thrown
  if (codeOf(thrown) === MOVED) return refusesWrites(markOf(thrown), display)
  const known = keyOf(codeOf(thrown))
  const key = isUnreachable(thrown) && known !== '53300' ? '08' : known
  const byWords = SAYINGS_BY_WORDS.find(([words]) => words.test(messageOf(thrown)))?.[1]
  if (key === null && !byWords) return thrown
  const [name, meaning, hint] =
    byWords ?? unnamed(key, display) ?? SAYINGS[key ?? ''] ?? (['store_failed', messageOf(thrown), null] as const)
  return new StoreError(name, `The store ${display} could not be used: ${meaning} (${messageOf(thrown)}).`, {
    hint,
    cause: thrown,
    written,
  })
}

/** The database is not there, and nobody named it. */
function unnamed(key: string | null, display: string): Saying | null {
  if (key !== '3D' || (URL.parse(display)?.pathname.slice(1) ?? '') !== '') return null
  const meaning = 'its URL names no database, so PostgreSQL took the name in PGDATABASE or that of the user'
  return ['store_unopenable', meaning, 'Name the database in the URL: postgres://USER@HOST/DATABASE.']
}

/** The longest beginning of the code that is in the table, or the code; `null` if there is no code. */
function keyOf(code: string | null): string | null {
  const beginnings = Array.from(code ?? '', (_, at) => code?.slice(0, at + 1) ?? '')
  return beginnings.findLast(beginning => Object.hasOwn(SAYINGS, beginning)) ?? code
}

function codeOf(thrown: unknown): string | null {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : null
}
