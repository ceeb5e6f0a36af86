import { messageOf } from '../../../core/errors.ts'
import type { Written } from '../../../core/store-write.ts'
import { StoreError } from '../../store-error.ts'
import { storeFailures } from '../../store-refusals.ts'

const SQLITE_BUSY = 5
const SQLITE_IOERR = 10
const SQLITE_FULL = 13

/** SQLite's primary result codes, as far as a user can do something about them. */
const SAYINGS: Readonly<Record<number, readonly [code: string, meaning: string, hint: string]>> = {
  [SQLITE_BUSY]: [
    'store_busy',
    'another process kept it locked',
    'Try again; if it stays so, see which process holds the file.',
  ],
  8: [
    'store_readonly',
    'it may not be written',
    'Make the file and its directory writable, or name another with --store.',
  ],
  [SQLITE_IOERR]: [
    'store_io',
    'the disk failed to read or write',
    'See whether the disk is full or failing, and run the command again: nothing was half written.',
  ],
  11: ['store_corrupt', 'the file is damaged', 'Restore it from a backup, or name another with --store.'],
  [SQLITE_FULL]: ['store_full', 'the disk is full', 'Make room and run the command again: nothing was half written.'],
  14: [
    'store_unopenable',
    'it cannot be opened',
    'Check that the path exists and may be written, or name another with --store.',
  ],
  26: ['store_not_a_database', 'it is not a database', 'Name the right file with --store.'],
}

/** Failures of the system that say the same as one of SQLite. */
const SYSTEM: Readonly<Record<string, number>> = {
  ENOSPC: SQLITE_FULL,
  EDQUOT: SQLITE_FULL,
  EIO: SQLITE_IOERR,
  EROFS: 8,
}

/** The code of the error if another process still reads the log. */
const BUSY_CODES: ReadonlySet<string> = new Set(['store_busy', 'store_log_kept'])

/** Another connection has the lock. Nothing was read or written. */
export function isBusy(thrown: unknown): boolean {
  return sqliteCode(thrown) === SQLITE_BUSY || (thrown instanceof StoreError && BUSY_CODES.has(thrown.code))
}

/** SQLite makes more files when it opens one. A full or failing disk takes none, but the file may be readable. */
export function isUnwritable(thrown: unknown): boolean {
  const told = asStoreError(thrown, '')
  return told instanceof StoreError && UNWRITABLE.has(told.code)
}

const UNWRITABLE: ReadonlySet<string> = new Set(['store_full', 'store_io', 'store_unopenable', 'store_readonly'])

/** By a result code of SQLite. */
export function isFailedRead(code: number): boolean {
  return (code & PRIMARY) === SQLITE_IOERR
}

export function asStoreError(thrown: unknown, path: string, written: Written = 'no'): unknown {
  const code = sqliteCode(thrown) ?? (isSystemError(thrown) ? (SYSTEM[thrown.code ?? ''] ?? null) : null)
  if (code !== null) {
    const [name, meaning, hint] = SAYINGS[code] ?? ['store_failed', messageOf(thrown), null]
    return new StoreError(name, `The store ${path} could not be used: ${meaning} (${messageOf(thrown)}).`, {
      hint,
      cause: thrown,
      written,
    })
  }
  if (!isSystemError(thrown)) return thrown
  return storeFailures.unopenable(path, thrown)
}

/** The low byte of an extended result code is the primary one. */
const PRIMARY = 0xff
/** SQLite found no room for the index of the log. */
const NO_ROOM_FOR_INDEX = 4874

function sqliteCode(thrown: unknown): number | null {
  if (!(thrown instanceof Error) || !('errcode' in thrown) || typeof thrown.errcode !== 'number') return null
  return thrown.errcode === NO_ROOM_FOR_INDEX ? SQLITE_FULL : thrown.errcode & PRIMARY
}

function isSystemError(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && 'syscall' in thrown
}
