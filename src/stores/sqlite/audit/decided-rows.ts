import type { JournalEvent } from '../../../core/journal/event.ts'
import { canonicalJson, type Json } from '../../../core/text/json.ts'
import type { Database } from '../database/database.ts'
import { findHold } from '../tables/hold-table.ts'

/** The hold whose row tells another end than this event; `null` if they fit, or the row tells nothing. */
export function misstatedHold(database: Database, { kind, data, thread_id }: JournalEvent): string | null {
  if (kind !== 'hold.decided' && kind !== 'hold.expired') return null
  const hold = findHold(database, data.hold_id)
  if (hold?.thread_id !== thread_id) return null
  return said(hold.decision) === said(data.decision) ? null : hold.id
}

/** Decisions that were written first did not say that they allow nothing beyond themselves. */
function said(decision: object | null): string {
  return canonicalJson((decision && { grant: null, ...decision }) as Json)
}
