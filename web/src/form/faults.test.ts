import { expect, test } from 'vitest'
import { faultWithin, nameOfPlace, withoutFaultsAt } from './faults.ts'
import { fieldsOf } from './fields-of.ts'

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

test('a place is named as the form names its field', () => {
  const text = { type: 'string' }
  const schema = {
    type: 'object',
    properties: {
      day: { ...text, title: 'Day of payment' },
      address: { type: 'object', title: 'Address', properties: { zip: { ...text, title: 'Postal code' } } },
      mails: { type: 'array', title: 'Mail address', items: text },
      plain: text,
    },
  }
  const fields = fieldsOf(schema, { day: '', address: { zip: '' }, mails: ['a', 'b'], plain: '' })
  const names = ['day', 'address.zip', 'address', 'mails[1]', 'mails', 'plain', 'unknown[0]'].map(path =>
    nameOfPlace(fields, path),
  )
  expect(names).toEqual([
    ...(['Day of payment', 'Postal code', 'Address', 'Mail address 2', 'Mail address', 'plain', 'unknown[0]'] as const),
  ])
  expect(nameOfPlace(null, 'day')).toBe('day')
})
