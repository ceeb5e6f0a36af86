import fc from 'fast-check'
import { expect, test } from 'vitest'
import { membersOf, readGroups } from './groups.ts'

const groups = { finance: ['ana', 'ben'], legal: ['ben', 'cleo'] }

test('a group stands for the people in it, each of them once', () => {
  expect(membersOf(['dora', '@finance', '@legal', 'ana'], groups)).toEqual(['dora', 'ana', 'ben', 'cleo'])
})

test.each(['@nobody', '@', '@toString', '@__proto__', '@constructor'])(
  '%s, which nobody defined, has nobody in it',
  name => {
    expect(membersOf([name], groups)).toEqual([])
  },
)

test('nobody is in the result who is not named, or in a group that is', () => {
  const name = fc.constantFrom('ana', 'ben', 'cleo', 'dora')
  const known = fc.dictionary(fc.constantFrom('a', 'b'), fc.array(name))
  const people = fc.array(fc.oneof(name, fc.constantFrom('@a', '@b', '@c')))
  fc.assert(
    fc.property(people, known, (said, defined) => {
      const expected = new Set(said.flatMap(each => (each.startsWith('@') ? (defined[each.slice(1)] ?? []) : [each])))
      expect(membersOf(said, defined)).toEqual([...expected])
    }),
  )
})

test('groups are read as they are written', () => {
  expect(readGroups(groups)).toEqual(groups)
  expect(readGroups({})).toEqual({})
  expect(readGroups({ empty: [] })).toEqual({ empty: [] })
})

test.each([
  undefined,
  null,
  'finance',
  ['ana'],
  { finance: 'ana' },
  { finance: [''] },
  { finance: [7] },
  { a: null },
  { owners: ['@finance'] },
])('%j is no groups', written => {
  expect(() => readGroups(written)).toThrow('groups must be like { "finance": ["ana", "ben"] }')
})
