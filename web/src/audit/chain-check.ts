/**
 * P10: the audit log, checked in this browser. Each record's hash is over its text and the hash before it, so a record that
 * was changed, dropped or put in shows. A head that was noted earlier shows also that the log was not written anew.
 */
import { readExportLine } from '../../../src/core/audit/export-line.ts'

/** The end of a log, as it was at some time. */
export interface Head {
  readonly seq: number
  readonly hash: string
}

export interface Fault {
  readonly seq: number
  readonly message: string
}

export interface Checked {
  /** How many records were read. */
  readonly count: number
  readonly head: Head
  /** At most `MOST_FAULTS`. */
  readonly faults: readonly Fault[]
  readonly fault_count: number
}

interface Row extends Head {
  readonly record: string
}

const MOST_FAULTS = 20
const FIRST: Head = { seq: 0, hash: '0'.repeat(64) }

export class ChainCheck {
  readonly #noted: readonly Head[]
  readonly #faults: Fault[] = []
  #faultCount = 0
  #count = 0
  #last = FIRST

  /** `noted` must be in the log, with the hash that they had. */
  constructor(noted: readonly Head[] = []) {
    this.#noted = noted
  }

  /** The next lines of an export. */
  async take(lines: readonly string[]): Promise<void> {
    const rows = this.#rowsOf(lines)
    const hashes = await Promise.all(
      rows.map((row, at) => hashOf(at === 0 ? this.#last.hash : (rows[at - 1]?.hash ?? ''), row)),
    )
    for (const [at, row] of rows.entries()) this.#check(row, hashes[at] ?? '')
  }

  /** Call it after the last line. */
  end(): Checked {
    for (const { seq } of this.#noted.filter(noted => noted.seq > this.#last.seq))
      this.#add(seq, `The log was noted to have a record ${seq}, and ends with record ${this.#last.seq}.`)
    return { count: this.#count, head: this.#last, faults: this.#faults, fault_count: this.#faultCount }
  }

  #rowsOf(lines: readonly string[]): Row[] {
    let expected = this.#last.seq
    return lines.map(line => {
      const row = readExportLine(line, expected + 1)
      expected = row.seq
      return row
    })
  }

  #check(row: Row, hash: string): void {
    const { seq } = row
    const expected = this.#last.seq + 1
    if (seq > expected)
      this.#add(
        expected,
        `${seq - expected === 1 ? `Record ${expected} is` : `Records ${expected} to ${seq - 1} are`} missing.`,
      )
    else if (seq < expected) this.#add(seq, `Record ${seq} stands where record ${expected} belongs.`)
    else if (hash !== row.hash) this.#add(seq, `Record ${seq} is not what was written: its hash does not fit.`)
    for (const noted of this.#noted)
      if (noted.seq === seq && noted.hash !== row.hash)
        this.#add(seq, `Record ${seq} was noted with another hash: the log was written anew, or is another one.`)
    this.#count += 1
    this.#last = { seq, hash: row.hash }
  }

  #add(seq: number, message: string): void {
    this.#faultCount += 1
    if (this.#faults.length < MOST_FAULTS) this.#faults.push({ seq, message })
  }
}

const encoder = new TextEncoder()

async function hashOf(before: string, { record }: Row): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(`${before}\n${record}`))
  return Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join('')
}

/** `412:9f…`, as `holdpoint audit verify` writes and takes it; `null` if it is none. */
export function readHead(text: string): Head | null {
  const [, seq, hash] = /^\s*(\d+):([0-9a-f]{64})\s*$/.exec(text) ?? []
  return seq === undefined || hash === undefined ? null : { seq: Number(seq), hash }
}

export function headText({ seq, hash }: Head): string {
  return `${seq}:${hash}`
}
