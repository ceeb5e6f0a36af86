import { expect, test } from 'vitest'
import { chainHash, EMPTY_CHAIN } from '../../../src/core/audit/audit-chain.ts'
import { exportLine } from '../../../src/core/audit/export-line.ts'
import { ChainCheck, type Checked, headText, readHead } from './chain-check.ts'

const { hash } = process.getBuiltinModule('node:crypto')

/** An export of so many records. */
function anExport(count: number): string[] {
  let before = EMPTY_CHAIN.hash
  return Array.from({ length: count }, (_, n) => {
    const about = { thread_id: null, run_id: null, hold_id: null, call_id: null, actor: null, surface: null }
    const event = { event_seq: null, event_hash: null, data: { n, text: 'ä€😀' } }
    const record = JSON.stringify({ seq: n + 1, at: '2030-01-01T00:00:00.000Z', kind: 'note', ...about, ...event })
    before = chainHash(text => hash('sha256', text, 'hex'), before, record)
    return exportLine({ seq: n + 1, record, hash: before })
  })
}

async function checked(lines: readonly string[], noted: readonly string[] = [], page = 4): Promise<Checked> {
  const check = new ChainCheck(noted.flatMap(text => readHead(text) ?? []))
  for (let at = 0; at < lines.length; at += page) await check.take(lines.slice(at, at + page))
  return check.end()
}

const whole = anExport(10)
const messages = ({ faults }: Checked) => faults.map(({ message }) => message)

test('P10: a log that nobody touched has no fault, and its head is found again later', async () => {
  const first = await checked(whole.slice(0, 7))
  expect(first).toMatchObject({ count: 7, fault_count: 0, head: { seq: 7 } })
  expect(await checked(whole, [headText(first.head)])).toMatchObject({ count: 10, fault_count: 0 })
})

test('P10: a record that was changed is named, and no other one', async () => {
  const changed = whole.map(line => line.replace('"n":4,', '"n":5,'))
  expect(messages(await checked(changed))).toEqual(['Record 5 is not what was written: its hash does not fit.'])
})

test('P10: records that are missing, and those that were put in, are named', async () => {
  const gone = whole.toSpliced(3, 2)
  expect(messages(await checked(gone))).toEqual(['Records 4 and 5 are missing.'.replace('4 and 5', '4 to 5')])
  const twice = whole.toSpliced(3, 0, whole[2] ?? '')
  expect(messages(await checked(twice))).toEqual(['Record 3 stands where record 4 belongs.'])
})

test('P10: a log that was cut off or written anew does not fit the head that was noted', async () => {
  const { head } = await checked(whole)
  expect(messages(await checked(whole.slice(0, 6), [headText(head)]))).toEqual([
    'The log was noted to have a record 10, but it ends with record 6.',
  ])
  const other = headText({ ...head, hash: 'f'.repeat(64) })
  expect(messages(await checked(whole, [other]))).toEqual([
    `Record 10 was noted with the hash ${'f'.repeat(64)}, but has ${head.hash}: the log was rewritten.`,
  ])
})

test('a text that is no head is none', () => {
  expect([readHead('12'), readHead('12:xyz'), readHead(`12:${'a'.repeat(64)} `)?.seq]).toEqual([null, null, 12])
})
