import type { UnplacedRecord } from '../../../core/audit/event-records.ts'
import type { SealKey } from '../../../core/audit/record-seal.ts'
import { pendingText } from '../../../core/audit/seal-records.ts'
import { send, type Work } from '../../sql/driver/work.ts'

/**
 * P10: each write is recorded in its own transaction, without a place in the log: no writer waits for another
 * at the end of the chain. `Sealer` gives the places.
 */
export function* putRecords(records: readonly UnplacedRecord[], key: SealKey | null): Work<void> {
  if (records.length === 0) return
  yield send(
    `INSERT INTO @audit_pending (at, record)
     SELECT r.at, r.record FROM unnest(?::bigint[], ?::text[]) WITH ORDINALITY AS r (at, record, place) ORDER BY r.place`,
    [records.map(({ at }) => Date.parse(at)), records.map(record => pendingText(record, key))],
  )
}
