/**
 * P10: the audit log as evidence. Each record's hash covers its text and the hash before it. A holder of a copy can
 * therefore name every record that was changed, dropped, inserted or moved.
 */

import type { Amount } from '../count.ts'
import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'
import type { AuditRecord } from './audit.ts'

/** 64 hexadecimal digits in lower case. */
export type Sha256 = (text: string) => string

/** One stored record: the hash covers this very text. */
export interface AuditRow {
  readonly seq: Amount
  readonly record: string
  readonly hash: string
}

/** The end of a chain. If it is noted elsewhere, it proves later that no record up to here was removed or rewritten. */
export interface AuditHead {
  readonly seq: Amount
  readonly hash: string
}

/** The head before the first record. */
export const EMPTY_CHAIN: AuditHead = { seq: 0, hash: '0'.repeat(64) }

/** The faults of an audit log, by kind. */
export type AuditFaultCode =
  /** A row was damaged: a part of it cannot be read. */
  | 'row_unreadable'
  /** The text or the hash of a record is not the written one. */
  | 'altered'
  /** Necessary records are missing. */
  | 'missing'
  /** A record is in the place of another one. */
  | 'misplaced'
  /** A row is no record at all. */
  | 'unreadable'
  /** The log ends before a head that was noted, or is another log. */
  | 'head_not_found'
  /** The journal event of a record is gone. */
  | 'event_missing'
  /** The journal event of a record differs from it. */
  | 'event_altered'
  /** A hold's row has another request, deadline or decision than the journal: people see something untrue. */
  | 'hold_altered'
  /** The row of a recorded hold is gone. */
  | 'hold_missing'
  /** A grant's row covers more, lasts longer or has other uses than its records. */
  | 'grant_altered'
  /** The row of a recorded grant is gone. */
  | 'grant_missing'
  /** The row of an access token lets in another caller, or lasts longer, than its records. */
  | 'access_altered'
  /** The row of a recorded access token is gone. */
  | 'access_missing'
  /** A journal event, a grant or a token has no record, and must have one. */
  | 'not_on_record'
  /** Two records have the same event, so one of them was inserted. */
  | 'twice_on_record'
  /** A record has no seal, and an earlier one has: its writer had no key. */
  | 'unsealed'
  /** The seal is not by the key, or not of the text. */
  | 'seal_wrong'
  /** A record follows from nothing that the store knows. */
  | 'unfounded'

/** A place at which the audit log, or its journal, is not as it was written. */
export interface AuditFault {
  readonly code: AuditFaultCode
  /** The record at fault; of missing ones the first. `null` if only the journal shows the fault. */
  readonly seq: Amount | null
  /** Set if the fault is about a journal event. */
  readonly thread_id: string | null
  readonly event_seq: Amount | null
  /** The fault, as a sentence. */
  readonly message: string
}

/** The result of a check of the whole audit log. */
export interface AuditVerification {
  /** At most `MOST_FAULTS`, in the order in which they were found; empty if all is well. */
  readonly faults: readonly AuditFault[]
  /** The number of all faults, including those that are not listed. */
  readonly fault_count: Amount
  /** How many records were read. */
  readonly count: Amount
  readonly head: AuditHead
  /** The parts that were not checked, in words. */
  readonly not_checked: readonly string[]
}

export const MOST_FAULTS = 20

/** The text that is stored and hashed. */
export function recordText(record: AuditRecord): string {
  const { seq, at, kind, thread_id, run_id, hold_id, call_id, actor, surface, event_seq, event_hash, data, seal } =
    record
  // biome-ignore format: the order is part of what is stored
  return JSON.stringify({ seq, at, kind, thread_id, run_id, hold_id, call_id, actor, surface, event_seq, event_hash, data, seal })
}

/** @throws SyntaxError if the text is no record. */
export function readRecord(text: string): AuditRecord {
  const value = JSON.parse(text) as Json
  if (!isJsonObject(value)) throw new SyntaxError('it is no object')
  const wrong = Object.entries(SHAPE).find(([key, fits]) => !fits(value[key]))
  if (wrong) throw new SyntaxError(`its ${wrong[0]} is not what it must be`)
  return value as Json as AuditRecord & JsonObject
}

type Fits = (value: Json | undefined) => boolean

const isText: Fits = value => typeof value === 'string'
const isTextOrNull: Fits = value => value === null || isText(value)

const SHAPE: { readonly [K in keyof AuditRecord]-?: Fits } = {
  seq: Number.isSafeInteger,
  at: isText,
  kind: isText,
  thread_id: isTextOrNull,
  run_id: isTextOrNull,
  hold_id: isTextOrNull,
  call_id: isTextOrNull,
  actor: isTextOrNull,
  surface: isTextOrNull,
  event_seq: value => value === null || Number.isSafeInteger(value),
  event_hash: isTextOrNull,
  data: isJsonObject,
  seal: value => value === undefined || isText(value),
}

/** The hash of a record, which covers the hash of the record before it. */
export function chainHash(sha256: Sha256, before: string, record: string): string {
  return sha256(hashedText(before, record))
}

function hashedText(before: string, record: string): string {
  return `${before}\n${record}`
}

/** Collects what is wrong, however much it is, in bounded memory. */
export class FaultList {
  readonly #faults: AuditFault[] = []
  #count = 0

  add(code: AuditFaultCode, message: string, about: Partial<Omit<AuditFault, 'code' | 'message'>> = {}): void {
    this.#count += 1
    if (this.#faults.length < MOST_FAULTS)
      this.#faults.push({ code, seq: null, thread_id: null, event_seq: null, ...about, message })
  }

  get found(): Pick<AuditVerification, 'faults' | 'fault_count'> {
    return { faults: this.#faults, fault_count: this.#count }
  }
}

/** Reads a chain from its first record to its last, one row at a time. */
export class ChainReader {
  readonly #sha256: Sha256
  readonly #faults: FaultList
  /** Heads that were noted and not met yet. */
  #noted: readonly AuditHead[]
  #count = 0
  #head = EMPTY_CHAIN
  /** The possible hashes before the next record; `null` if that record is missing. */
  #before: readonly string[] | null = [EMPTY_CHAIN.hash]

  constructor(sha256: Sha256, faults: FaultList, noted: readonly AuditHead[] = []) {
    this.#sha256 = sha256
    this.#faults = faults
    this.#noted = noted.filter(({ seq }) => seq > 0)
  }

  /** The texts that `take` may hash for this row: a host without a synchronous hash computes them first. */
  hashedTexts({ record }: AuditRow): readonly string[] {
    return (this.#before ?? []).map(before => hashedText(before, record))
  }

  /** Returns the record, if the row is one. */
  take(row: AuditRow): AuditRecord | null {
    this.#count += 1
    const record = this.#readable(row)
    const isInPlace = this.#place(row, record)
    this.#link(row, isInPlace)
    this.#meetNoted(row)
    return record
  }

  /** Call it after the last row. */
  end(): Pick<AuditVerification, 'count' | 'head'> {
    for (const { seq } of this.#noted) {
      const end = this.#head.seq === 0 ? 'it is empty' : `it ends with record ${this.#head.seq}`
      this.#faults.add('head_not_found', `The log was noted to have a record ${seq}, but ${end}.`, { seq })
    }
    return { count: this.#count, head: this.#head }
  }

  #readable({ seq, record }: AuditRow): AuditRecord | null {
    try {
      return readRecord(record)
    } catch {
      this.#faults.add('unreadable', `Record ${seq} is not the JSON of a record.`, { seq })
      return null
    }
  }

  /** Checks that every record follows the one before, and has its own number. */
  #place({ seq }: AuditRow, record: AuditRecord | null): boolean {
    const expected = this.#head.seq + 1
    if (seq > expected) this.#skip(expected, seq)
    if (seq < expected) this.#faults.add('misplaced', `Record ${seq} stands where record ${expected} belongs.`, { seq })
    else if (record && record.seq !== seq)
      this.#faults.add('misplaced', `What stands in place ${seq} says that it is record ${record.seq}.`, { seq })
    return seq >= expected && (!record || record.seq === seq)
  }

  #skip(first: number, next: number): void {
    const which = next - first > 1 ? `Records ${first} to ${next - 1} are` : `Record ${first} is`
    this.#faults.add('missing', `${which} missing.`, { seq: first })
    this.#before = null
  }

  /**
   * After a break the next record may fit after the stored hash, the right hash, or the record before it. Each kind of
   * tampering leaves one of these, so only touched records are named.
   */
  #link({ seq, record, hash }: AuditRow, isInPlace: boolean): void {
    const before = this.#before ?? []
    const right = before.map(each => chainHash(this.#sha256, each, record))
    const fits = this.#before === null || right.includes(hash)
    if (!fits && isInPlace)
      this.#faults.add('altered', `Record ${seq} is not what was written: its hash does not fit.`, { seq })
    this.#before = fits ? [hash] : [...new Set([hash, ...right.slice(0, 1), ...before.slice(0, 1)])]
    this.#head = seq >= this.#head.seq ? { seq, hash } : this.#head
  }

  #meetNoted({ seq, hash }: AuditRow): void {
    const here = this.#noted.filter(noted => noted.seq === seq)
    if (here.length === 0) return
    this.#noted = this.#noted.filter(noted => noted.seq !== seq)
    for (const noted of here.filter(each => each.hash !== hash)) {
      const message = `Record ${seq} was noted with the hash ${noted.hash}, but has ${hash}: the log was rewritten.`
      this.#faults.add('head_not_found', message, { seq })
    }
  }
}
