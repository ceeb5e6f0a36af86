/**
 * P10: the audit log, written in the same transaction as what it records. It has no index, as each page more costs every
 * commit 4 KB: records are appended to the last page, and read in order.
 */
import type { UnplacedRecord } from '../../../core/audit/event-records.ts'
import type { SealKey } from '../../../core/audit/record-seal.ts'
import { sealRecords } from '../../../core/audit/seal-records.ts'
import { sha256 } from '../../sha256.ts'
import { asHead } from '../../sql/audit/audit-rows.ts'
import { type Statement, send, sendEach, type Work } from '../../sql/driver/work.ts'
import { SQLITE } from '../database/sqlite-dialect.ts'

/** Inside a transaction. `isNoted`: no journal would show their loss. */
export function* putRecords(records: readonly UnplacedRecord[], isNoted: boolean, key: SealKey | null): Work<void> {
  if (records.length === 0) return
  const [found] = yield READ_HEAD
  const rows = sealRecords(sha256, asHead(found?.rows[0]), { records, key })
  yield sendEach(
    'INSERT INTO @audit (seq, record, hash) VALUES (?, ?, ?)',
    rows.map(({ seq, record, hash }) => [seq, record, hash]),
  )
  const newest = rows.at(-1)
  if (!isNoted || !newest) return
  yield send(
    `INSERT INTO @audit_head (one, seq, hash) VALUES (1, ?, ?)
     ON CONFLICT (one) DO UPDATE SET seq = excluded.seq, hash = excluded.hash`,
    [newest.seq, newest.hash],
  )
}

const READ_HEAD: readonly Statement[] = [{ sql: SQLITE.head, values: [], wants: 'rows' }]
