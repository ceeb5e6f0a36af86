import { expect, test } from 'vitest'
import type { HoldRow } from '../api/documents.ts'
import { hasWords } from './filter.ts'

const ROW = {
  title: 'Pay 18,400 EUR to Nordwind',
  task: { text: 'Settle the invoices of May', by: 'ana', directory: '/shop', branch: null, host: '' },
  ...{ summary: 'amount: 18400', tool: 'pay', agent: 'clerk', path: [{ agent: 'clerk' }] },
  ...{ assignee: null, who_may_decide: 'anybody but the agent itself', outcome: 'approved by ben' },
} as unknown as HoldRow

test.each(['18,400', 'nordwind', 'invoices may', 'approved ben', 'clerk 18400', ' '])('%s is found', words => {
  expect(hasWords(ROW, words)).toBe(true)
})

test.each([
  ['41.20', 'amount: 41.2  to: ana'],
  ['41,20', 'amount: 41.2  to: ana'],
  ['41.2', 'Refund 41,20 EUR'],
  ['\u20ac41.20', 'amount: 41.2'],
  ['1200', 'Pay 1,200.00 EUR'],
  ["1'200.5", 'amount: 1200.5'],
])('the amount %s is found in %j', (words, summary) => {
  expect(hasWords({ ...ROW, title: '', summary }, words)).toBe(true)
})

test.each(['41.25', '43', 'v41.20x'])('the amount 41.2 is not found as %s', words => {
  expect(hasWords({ ...ROW, title: '', summary: 'amount: 41.2' }, words)).toBe(false)
})

test('a row without one of the words is not found', () => {
  expect(hasWords(ROW, 'nordwind june')).toBe(false)
})
