import { expect, test } from 'vitest'
import { progressLine } from './progress-meter.ts'

const RECORDS = { label: 'Checking', unit: 'records' }

test.each([
  [
    { done: 8000, total: 24_000, ms: 2000, hasBar: true },
    'Checking  [########----------------]  33 %  4,000 records/s  4.0 s left',
  ],
  [{ done: 8000, total: 24_000, ms: 2000, hasBar: false }, 'Checking  33 %  4,000 records/s  4.0 s left'],
  [{ done: 30_000, total: 24_000, ms: 2000, hasBar: false }, 'Checking  100 %  15,000 records/s'],
  [{ done: 1200, total: null, ms: 3000, hasBar: true }, 'Checking  1,200 records  400 records/s  3.0 s'],
  [{ done: 0, total: 10, ms: 3000, hasBar: false }, 'Checking  0 %  0 records/s'],
])('%j reads %j', (reached, line) => {
  expect(progressLine(RECORDS, reached)).toBe(line)
})

test('if nothing can be counted, the time is told', () => {
  const reached = { done: 0, total: null, ms: 125_000, hasBar: true }
  expect(progressLine({ label: 'Waiting for 2 tasks' }, reached)).toBe('Waiting for 2 tasks  2 min')
})
