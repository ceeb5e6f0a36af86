import { messageOf } from '../../../core/errors.ts'
import type { Written } from '../../../core/store-write.ts'
import { StoreError } from '../../store-error.ts'

const SQLITE_BUSY = 5

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
  10: [
    'store_io',
    'the disk failed to read or write',
    'See whether the disk is full or failing, and run the command again: nothing was half written.',
  ],
  11: ['store_corrupt', 'the file is damaged', 'Restore it from a backup, or name another with --store.'],
  13: ['store_full', 'the disk is full', 'Make room and run the command again: nothing was half written.'],
  14: [
    'store_unopenable',
    'it cannot be opened',
    'Check that the path exists and may be written, or name another with --store.',
  ],
  26: ['store_not_a_database', 'it is not a database', 'Name the right file with --store.'],
}

/** Failures of the system that say the same as one of SQLite. */
const SYSTEM: Readonly<Record<string, number>> = { ENOSPC: 13, EDQUOT: 13, EIO: 10, EROFS: 8 }

/** The code of the error if another process still reads the log. */
export const LOG_KEPT = 'store_log_kept'
const BUSY_CODES: ReadonlySet<string> = new Set(['store_busy', LOG_KEPT])

/** Another connection has the lock. Nothing was read or written. */
export function isBusy(thrown: unknown): boolean {
  return sqliteCode(thrown) === SQLITE_BUSY || (thrown instanceof StoreError && BUSY_CODES.has(thrown.code))
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
  return new StoreError('store_unopenable', `The store ${path} could not be opened: ${thrown.message}.`, {
    hint: 'Check that the directory may be written, or name another place with --store.',
    cause: thrown,
  })
}

/** The low byte of an extended result code is the primary one. */
function sqliteCode(thrown: unknown): number | null {
  if (!(thrown instanceof Error) || !('errcode' in thrown) || typeof thrown.errcode !== 'number') return null
  return thrown.errcode & 0xff
}

function isSystemError(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && 'syscall' in thrown
}
