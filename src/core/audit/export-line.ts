import type { Json } from '../text/json.ts'
import type { AuditRow } from './audit-chain.ts'

/** One record for an export, as a line of JSON that ends with its hash: the hash covers the text before it. */
export function exportLine({ record, hash }: AuditRow): string {
  return `${record.slice(0, -1)},"hash":${JSON.stringify(hash)}}`
}

const HASH_AT_END = /^(.*),"hash":"([^"]*)"\}$/s

/** The row of one line of an export. A line that is no row becomes a row that fails the check. */
export function readExportLine(line: string, expected: number): AuditRow {
  const [, open = line, hash = ''] = HASH_AT_END.exec(line) ?? []
  const record = open === line ? line : `${open}}`
  return { seq: seqIn(record) ?? expected, record, hash }
}

function seqIn(record: string): number | null {
  try {
    const { seq } = JSON.parse(record) as { readonly seq?: Json }
    return Number.isSafeInteger(seq) ? (seq as number) : null
  } catch {
    return null
  }
}
