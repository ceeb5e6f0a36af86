/**
 * P10: a seal on each record, by a key that hosts have and a mere writer of the database has not. Such a writer can
 * compute the chain anew, but cannot make a record that passes for one of a host. A seal covers the record and not its
 * place: journals and noted heads show missing or moved records.
 */
import type { AuditRecord } from './audit.ts'
import { type AuditRow, type FaultList, recordText } from './audit-chain.ts'
import type { UnplacedRecord } from './event-records.ts'

/** A key for seals. */
export interface SealKey {
  /** A name of the key, which reveals nothing of it. */
  readonly id: string
  readonly mac: (text: string) => string
}

/** The variable that has the key. */
export const SEAL_VARIABLE = 'HOLDPOINT_SEAL_KEY'

/** The record with its seal; unchanged if there is no key. */
export function withSeal(record: UnplacedRecord, key: SealKey | null): UnplacedRecord {
  return key ? { ...record, seal: sealOf(key, recordText({ seq: 0, ...record })) } : record
}

function sealOf({ id, mac }: SealKey, text: string): string {
  return `${id}:${mac(text)}`
}

/** The stored text as it was when it was sealed: the very text, so that nothing in it can hide from a reader of JSON. */
function sealedText(text: string): string {
  return text.replace(/^\{"seq":\d+,/, '{"seq":0,').replace(/,"seal":"[0-9a-f:]*"\}$/, '}')
}

/** Reads the seals of a log, in its order. */
export class SealReader {
  readonly #key: SealKey | null
  readonly #faults: FaultList
  /** The first record with a seal. */
  #first: number | null = null
  #sealed = 0
  /** Records before the first seal. */
  #unsealed = 0

  constructor(key: SealKey | null, faults: FaultList) {
    this.#key = key
    this.#faults = faults
  }

  take({ seq, record: text }: AuditRow, { seal }: Pick<AuditRecord, 'seal'>): void {
    if (seal === undefined) this.#takeUnsealed(seq)
    else this.#takeSeal(seq, { text, seal })
  }

  #takeSeal(seq: number, { text, seal }: { readonly text: string; readonly seal: string }): void {
    this.#first ??= seq
    this.#sealed += 1
    if (this.#key === null || seal === sealOf(this.#key, sealedText(text))) return
    const why = seal.startsWith(`${this.#key.id}:`)
      ? 'does not fit: it was changed, or made without the key'
      : `is of another key than ${SEAL_VARIABLE} here`
    this.#faults.add('seal_wrong', `The seal of record ${seq} ${why}.`, { seq })
  }

  #takeUnsealed(seq: number): void {
    if (this.#first === null) {
      this.#unsealed += 1
      return
    }
    const message = `Record ${seq} has no seal, as record ${this.#first} has: a process without ${SEAL_VARIABLE} wrote it.`
    this.#faults.add('unsealed', message, { seq })
  }

  /** The limits of the seals, in words. */
  notChecked(): string[] {
    if (this.#sealed === 0) return this.#key && this.#unsealed > 0 ? ['seals: no record has one'] : []
    return [
      ...(this.#key
        ? []
        : [`the seals of ${this.#sealed} ${records(this.#sealed)}, as ${SEAL_VARIABLE} is not set here`]),
      ...(this.#unsealed > 0
        ? [`seals of the first ${this.#unsealed} ${records(this.#unsealed)}, which were written without a seal`]
        : []),
    ]
  }
}

function records(count: number): string {
  return count === 1 ? 'record' : 'records'
}
