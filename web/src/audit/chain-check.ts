/**
 * P10: the audit log, checked in this browser by the reader that the server uses too. A head that was noted earlier shows
 * also that the log was not rewritten.
 */
import {
  type AuditHead,
  type AuditVerification,
  ChainReader,
  EMPTY_CHAIN,
  FaultList,
} from '../../../src/core/audit/audit-chain.ts'
import { readExportLine } from '../../../src/core/audit/export-line.ts'

export type Checked = Omit<AuditVerification, 'not_checked'>

export class ChainCheck {
  readonly #faults = new FaultList()
  /** By the text, for the next record: a browser computes hashes only asynchronously. */
  readonly #hashes = new Map<string, string>()
  readonly #chain: ChainReader
  #seq = EMPTY_CHAIN.seq

  /** `noted` must be in the log, with the hash that they had. */
  constructor(noted: readonly AuditHead[] = []) {
    this.#chain = new ChainReader(text => this.#hashes.get(text) ?? '', this.#faults, noted)
  }

  /** Takes the next lines of an export. */
  async take(lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      const row = readExportLine(line, this.#seq + 1)
      this.#seq = row.seq
      this.#hashes.clear()
      for (const text of this.#chain.hashedTexts(row)) this.#hashes.set(text, await sha256(text))
      this.#chain.take(row)
    }
  }

  /** Call it after the last line. */
  end(): Checked {
    const end = this.#chain.end()
    return { ...end, ...this.#faults.found }
  }
}

const encoder = new TextEncoder()

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(text))
  return Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join('')
}

/** `412:9f…`, as `holdpoint audit verify` writes and takes it; `null` if it is none. */
export function readHead(text: string): AuditHead | null {
  const [, seq, hash] = /^\s*(\d+):([0-9a-f]{64})\s*$/.exec(text) ?? []
  return seq === undefined || hash === undefined ? null : { seq: Number(seq), hash }
}

export function headText({ seq, hash }: AuditHead): string {
  return `${seq}:${hash}`
}
