/** P10: places in the chain, given in order after its head. */
import { type AuditHead, type AuditRow, chainHash, readRecord, recordText, type Sha256 } from './audit-chain.ts'
import type { UnplacedRecord } from './event-records.ts'
import { type SealKey, withSeal } from './record-seal.ts'

/** The text of a record that waits for its place: that of record 0. */
export function pendingText(record: UnplacedRecord, key: SealKey | null): string {
  return recordText({ seq: 0, ...withSeal(record, key) })
}

/** The rows of these records after `head`. */
export function sealRecords(
  sha256: Sha256,
  head: AuditHead,
  { records, key }: { readonly records: readonly UnplacedRecord[]; readonly key: SealKey | null },
): AuditRow[] {
  const sealed = records.map(record => withSeal(record, key))
  return chained(
    sha256,
    head,
    sealed.map(record => seq => recordText({ seq, ...record })),
  )
}

/**
 * The rows of pending texts after `head`. A text that is no record keeps its place unchanged: it must not block the
 * texts after it, and the check of the log reports it.
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
