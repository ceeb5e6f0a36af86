import { RefusedError } from '../errors.ts'
import type { MaybeUnreadable } from '../unreadable.ts'

/**
 * A bundle has the true content of each hold and grant: stand-ins never reach another store. @throws RefusedError
 * `export_unreadable`
 */
export function refuseUnreadable(rows: readonly (MaybeUnreadable & { readonly id: string })[]): void {
  const damaged = rows.find(({ unreadable }) => unreadable)
  if (!damaged?.unreadable) return
  const message = `The row of ${damaged.id} in the store was damaged: ${damaged.unreadable.problem}. So its thread was not exported.`
  throw new RefusedError('export_unreadable', message, {
    hint: 'Nothing was changed. Restore the store from a backup, and export the thread from there.',
  })
}
