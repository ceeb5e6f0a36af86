import { expect, test } from 'vitest'
import { aHold } from '../../testing/contracts/sample-hold.ts'
import { holdRow } from './hold-row.ts'

const ana = { name: 'ana', decides: true }

test('a row has the request in one visible line, and says when it is cut', () => {
  const row = holdRow(aHold({ arguments: { a: 'x\u202ey' } }), [], ana)
  expect(row).toMatchObject({ summary: 'x\\u{202e}y', is_cut: false, may_decide: true, outcome: '' })
  expect(holdRow(aHold({ arguments: { a: 'x', b: [1] } }), [], ana).summary).toBe('a: x  b: [1]')
  expect(holdRow(aHold({ arguments: { a: 'one\n\ttwo\r\n' } }), [], ana).summary).toBe('one ⏎  two')
  expect(holdRow(aHold({ message: 'Which?\nThis one?', kind: 'question' }), [], ana).summary).toBe('Which? ⏎ This one?')
  const long = holdRow(aHold({ message: '😀'.repeat(300), kind: 'question' }), [], ana)
  expect(long.is_cut).toBe(true)
  expect(long.summary).toBe('😀'.repeat(140))
})

test('P9: a row says that a word of its request looks like another one', () => {
  expect(holdRow(aHold({ arguments: { to: 'p\u0430ypal.com' } }), [], ana).has_look_alikes).toBe(true)
  expect(holdRow(aHold({ title: 'Pay p\u0430ypal', arguments: {} }), [], ana).has_look_alikes).toBe(true)
  expect(holdRow(aHold({ arguments: { to: 'paypal.com' } }), [], ana).has_look_alikes).toBe(false)
})

test('a row says whether the viewer may let it pass', () => {
  const asked = aHold({ deciders: { people: ['ben'], not_requester: false, quorum: 1 } })
  expect(holdRow(asked, [], ana).may_decide).toBe(false)
  expect(holdRow(asked, [], { ...ana, name: 'ben' }).may_decide).toBe(true)
  expect(holdRow(asked, [], { name: 'ben', decides: false }).may_decide).toBe(false)
  expect(holdRow(aHold({ status: 'withdrawn' }), [], ana)).toMatchObject({ may_decide: null, outcome: 'withdrawn' })
})
