import { expect, test } from 'vitest'
import { sumOf } from './sum-of.ts'

const refund = (amount: number | string, currency = 'EUR') => ({
  tool: 'refund',
  arguments: { amount, currency, order: '7' },
})

test('amounts of one currency are added, without the faults of binary fractions', () => {
  expect(sumOf([refund(0.1), refund(0.2)])).toBe('amount: 0.30 EUR')
  expect(sumOf([refund('41.20'), refund(20), refund(-1.205)])).toBe('amount: 59.995 EUR')
  expect(sumOf([refund(20), refund(21)])).toBe('amount: 41 EUR')
  expect(sumOf([refund('-0.30'), refund('0.10')])).toBe('amount: -0.20 EUR')
})

test.each([
  ['one hold', [refund(20)]],
  ['two currencies', [refund(20), refund(20, 'USD')]],
  ['two tools', [refund(20), { ...refund(20), tool: 'pay' }]],
  ['a text', [refund(20), refund('all of it')]],
  ['a number in another notation', [refund(20), refund(1e21)]],
  ['two amounts in one', [refund(20), { tool: 'refund', arguments: { amount: 1, total: 2, currency: 'EUR' } }]],
  ['broken arguments', [refund(20), { tool: 'refund', arguments: '{"amount":' }]],
  ['no hold', []],
])('there is no sum of %s', (_what, holds) => {
  expect(sumOf(holds)).toBeNull()
})
