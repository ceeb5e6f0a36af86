/** P10: places in the chain, given in order behind its head. */
import { type AuditHead, type AuditRow, chainHash, readRecord, recordText, type Sha256 } from './audit-chain.ts'
import type { UnplacedRecord } from './event-records.ts'

/** The text of a record that waits for its place: that of record 0. */
export function pendingText(record: UnplacedRecord): string {
  return recordText({ seq: 0, ...record })
}

/** The rows of these records behind `head`. */
export function sealRecords(sha256: Sha256, head: AuditHead, records: readonly UnplacedRecord[]): AuditRow[] {
  return chained(
    sha256,
    head,
    records.map(record => seq => recordText({ seq, ...record })),
  )
}

/**
 * The rows of pending texts behind `head`. A text that is no record keeps its place as it is: it must not hold up those
 * behind it, and the check of the log tells of it.
 */
export function sealPending(sha256: Sha256, head: AuditHead, texts: readonly string[]): AuditRow[] {
  return chained(
    sha256,
    head,
    texts.map(text => seq => placed(text, seq)),
  )
}

function placed(text: string, seq: number): string {
  try {
    return recordText({ ...readRecord(text), seq })
  } catch {
    return text
  }
}

function chained(sha256: Sha256, head: AuditHead, texts: readonly ((seq: number) => string)[]): AuditRow[] {
  let { seq, hash } = head
  return texts.map(textAt => {
    seq += 1
    const record = textAt(seq)
    hash = chainHash(sha256, hash, record)
    return { seq, record, hash }
  })
}
