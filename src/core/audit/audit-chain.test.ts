import { hash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AuditRecord } from './audit.ts'
import {
  type AuditHead,
  type AuditRow,
  type AuditVerification,
  ChainReader,
  chainHash,
  EMPTY_CHAIN,
  FaultList,
  MOST_FAULTS,
  recordText,
} from './audit-chain.ts'
import { exportLine, readExportLine } from './export-line.ts'

const sha256 = (text: string) => hash('sha256', text, 'hex')

const aRecord = (seq: number): AuditRecord => ({
  seq,
  at: new Date(seq * 1_000).toISOString(),
  kind: 'hold.shown',
  thread_id: 'th_1',
  run_id: 'run_1',
  hold_id: `hold_${seq}`,
  call_id: null,
  actor: 'ana "the hash" \u202e',
  surface: 'cli',
  event_seq: null,
  event_hash: null,
  data: { in_full: seq % 2 === 0, hash: 'f'.repeat(64) },
})

function aChain(length: number): AuditRow[] {
  let before = EMPTY_CHAIN.hash
  return Array.from({ length }, (_, index) => {
    const record = recordText(aRecord(index + 1))
    before = chainHash(sha256, before, record)
    return { seq: index + 1, record, hash: before }
  })
}

function verify(rows: readonly AuditRow[], noted: readonly AuditHead[] = []): AuditVerification {
  const faults = new FaultList()
  const reader = new ChainReader(sha256, faults, noted)
  for (const row of rows) reader.take(row)
  return { ...reader.end(), ...faults.found, not_checked: [] }
}

const found = (rows: readonly AuditRow[], noted?: readonly AuditHead[]) =>
  verify(rows, noted).faults.map(({ code, seq }) => [code, seq])

const without = <T>(rows: readonly T[], index: number) => rows.toSpliced(index, 1)

describe('a chain', () => {
  const rows = aChain(6)

  test('that nobody touched is without fault, and its head is its last record', () => {
    expect(verify(rows)).toEqual({
      faults: [],
      fault_count: 0,
      count: 6,
      head: { seq: 6, hash: rows[5]!.hash },
      not_checked: [],
    })
    expect(verify([])).toEqual({ faults: [], fault_count: 0, count: 0, head: EMPTY_CHAIN, not_checked: [] })
  })

  test('whose hashes anybody can compute with a shell is the hash before, a line feed and the record', () => {
    expect(rows[1]!.hash).toBe(sha256(`${rows[0]!.hash}\n${rows[1]!.record}`))
  })

  test('names the one record whose text was changed', () => {
    expect(found(rows.with(2, { ...rows[2]!, record: rows[2]!.record.replace('cli', 'web') }))).toEqual([
      ['altered', 3],
    ])
  })

  test('names the one record whose hash was changed', () => {
    expect(found(rows.with(2, { ...rows[2]!, hash: sha256('else') }))).toEqual([['altered', 3]])
  })

  test('names what was dropped', () => {
    expect(found(without(rows, 2))).toEqual([['missing', 3]])
    expect(found(rows.slice(2))).toEqual([['missing', 1]])
    expect(found([rows[0]!, rows[5]!])).toEqual([['missing', 2]])
  })

  test('names what was put in, also where it has a hash that fits', () => {
    const record = recordText({ ...aRecord(3), actor: 'mallory' })
    const forged = { seq: 3, record, hash: chainHash(sha256, rows[1]!.hash, record) }
    expect(found(rows.toSpliced(2, 0, forged))).toEqual([['misplaced', 3]])
    expect(found(rows.toSpliced(2, 0, { ...forged, hash: sha256('') }))).toContainEqual(['altered', 3])
  })

  test('names what was written twice', () => {
    expect(found(rows.toSpliced(3, 0, rows[2]!))).toEqual([['misplaced', 3]])
  })

  test('names what changed places', () => {
    expect(found(rows.with(2, rows[3]!).with(3, rows[2]!))).toEqual([
      ['missing', 3],
      ['misplaced', 3],
    ])
    const renumbered = rows.with(2, { ...rows[3]!, seq: 3 }).with(3, { ...rows[2]!, seq: 4 })
    expect(found(renumbered)).toContainEqual(['misplaced', 3])
    expect(found(renumbered)).toContainEqual(['misplaced', 4])
  })

  test('names what is no record', () => {
    expect(found(rows.with(1, { ...rows[1]!, record: 'nothing' }))).toContainEqual(['unreadable', 2])
    const incomplete = rows[1]!.record.replace('"event_seq":null,', '')
    expect(found(rows.with(1, { ...rows[1]!, record: incomplete }))).toContainEqual(['unreadable', 2])
  })

  test('is without fault where its tail is missing, unless its head was noted', () => {
    const noted = { seq: 6, hash: rows[5]!.hash }
    expect(found(rows.slice(0, 4))).toEqual([])
    expect(found(rows.slice(0, 4), [noted])).toEqual([['head_not_found', 6]])
    expect(found(rows, [noted])).toEqual([])
    expect(found(aChain(9), [noted])).toEqual([])
  })

  test('that was written anew from some record on is found by a head that was noted', () => {
    const rewritten = recordText({ ...aRecord(2), actor: 'mallory' })
    const hashed = chainHash(sha256, rows[0]!.hash, rewritten)
    const last = { seq: 2, record: rewritten, hash: hashed }
    expect(found([rows[0]!, last])).toEqual([])
    expect(found([rows[0]!, last], [{ seq: 2, hash: rows[1]!.hash }])).toEqual([['head_not_found', 2]])
  })

  test('with endless faults lists the first ones and counts the others', () => {
    const { faults, fault_count } = verify(aChain(100).map(row => ({ ...row, record: 'nothing' })))
    expect(faults).toHaveLength(MOST_FAULTS)
    expect(fault_count).toBeGreaterThanOrEqual(100)
  })
})

describe('an export', () => {
  const rows = aChain(4)
  const read = (lines: readonly string[]) => lines.map((line, index) => readExportLine(line, index + 1))

  test('is a line of JSON for each record, with its hash, and verifies as the log itself', () => {
    const lines = rows.map(exportLine)
    expect(JSON.parse(lines[1]!)).toEqual({ ...aRecord(2), hash: rows[1]!.hash })
    expect(read(lines)).toEqual(rows)
  })

  test('shows whatever was done to one character of it', () => {
    const text = rows.map(exportLine).join('\n')
    const flips = fc.tuple(fc.nat(text.length - 1), fc.integer({ min: 32, max: 126 }))
    fc.assert(
      fc.property(flips, ([at, code]) => {
        fc.pre(text.charCodeAt(at) !== code)
        const changed = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1)
        expect(verify(read(changed.split('\n'))).fault_count).toBeGreaterThan(0)
      }),
      { numRuns: 500 },
    )
  })
})
