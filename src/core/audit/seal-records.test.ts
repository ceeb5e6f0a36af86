import { hash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AuditHead, type AuditRow, ChainReader, EMPTY_CHAIN, FaultList } from './audit-chain.ts'
import { recordsOfEntries, type UnplacedRecord } from './event-records.ts'
import { pendingText, sealPending, sealRecords } from './seal-records.ts'

const sha256 = (text: string): string => hash('sha256', text)

const shown = (...actors: string[]): UnplacedRecord[] =>
  recordsOfEntries(
    actors.map(actor => ({ kind: 'hold.shown', hold_id: 'hold_1', actor, data: { in_full: true } })),
    Date.parse('2030-01-01T00:00:00.000Z'),
  )

/** As a sealer works: a few at a time, each time behind the newest row. */
function sealedInParts(texts: readonly string[], sizes: readonly number[]): AuditRow[] {
  const rows: AuditRow[] = []
  for (let part = 0; rows.length < texts.length; part += 1) {
    const head: AuditHead = rows.at(-1) ?? EMPTY_CHAIN
    const size = sizes[part % sizes.length] ?? 1
    rows.push(...sealPending(sha256, head, texts.slice(rows.length, rows.length + size)))
  }
  return rows
}

function faultsOf(rows: readonly AuditRow[]): readonly string[] {
  const faults = new FaultList()
  const chain = new ChainReader(sha256, faults)
  for (const row of rows) chain.take(row)
  chain.end()
  return faults.found.faults.map(({ code, seq }) => `${code} ${seq}`)
}

test('P10: records that wait for their place get the same rows as records that are written in place, in any parts', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string(), { minLength: 1, maxLength: 20 }),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      (actors, sizes) => {
        const records = shown(...actors)
        const rows = sealedInParts(
          records.map(record => pendingText(record, null)),
          sizes,
        )
        expect(rows).toEqual(sealRecords(sha256, EMPTY_CHAIN, { records, key: null }))
        expect(faultsOf(rows)).toEqual([])
      },
    ),
  )
})

test('P10: a pending text that is no record holds up no other, and the check of the log names it', () => {
  const [first = '', last = ''] = shown('ana', 'ben').map(record => pendingText(record, null))
  const rows = sealPending(sha256, EMPTY_CHAIN, [first, '{"seq":0', last])
  expect(rows.map(({ seq }) => seq)).toEqual([1, 2, 3])
  expect(faultsOf(rows)).toEqual(['unreadable 2'])
})

test('P10: a record that was changed while it waited is sealed as it was found', () => {
  const [text = ''] = shown('ana').map(record => pendingText(record, null))
  const [row] = sealPending(sha256, EMPTY_CHAIN, [text.replace('"ana"', '"ben"')])
  expect(row?.record).toContain('"actor":"ben"')
})
