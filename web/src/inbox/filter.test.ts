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

test('a row without one of the words is not found', () => {
  expect(hasWords(ROW, 'nordwind june')).toBe(false)
})
