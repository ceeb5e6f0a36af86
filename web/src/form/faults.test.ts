import { expect, test } from 'vitest'
import { faultWithin, withoutFaultsAt } from './faults.ts'

const faults = { 'address.city': 'too short', 'address.zip': 'no digits', 'items[1].count': 'too many' }

test('a field that is changed loses its own faults, and the fields beside it keep theirs', () => {
  expect(withoutFaultsAt(faults, 'address.city')).toEqual({
    'address.zip': 'no digits',
    'items[1].count': 'too many',
  })
  expect(Object.keys(withoutFaultsAt(faults, 'address'))).toEqual(['items[1].count'])
  expect(Object.keys(withoutFaultsAt({ address: 'is missing' }, 'address.city'))).toEqual([])
  expect(withoutFaultsAt(faults, 'add')).toEqual(faults)
  expect(withoutFaultsAt(faults, '')).toEqual({})
})

test('a field that is edited as JSON says what is wrong anywhere in it', () => {
  expect(faultWithin(faults, 'items')).toBe('items[1].count: too many')
  expect(faultWithin(faults, 'address.city')).toBe('too short')
  expect(faultWithin(faults, 'name')).toBeNull()
})
