import { expect, test } from 'vitest'
import { isMembership, membershipOf } from './membership.ts'

const by = { proven_by: 'proxy', issuer: 'https://proxy.example.org' } as const
const proven = { finance: ['fin-1', 'fin-2'], legal: ['law'] }

test('a person is in the groups of the project that name a group of theirs', () => {
  expect(membershipOf(['fin-2', 'staff'], proven, by)).toEqual({ groups: ['finance'], ...by })
  expect(membershipOf(['law', 'fin-1'], proven, by)?.groups).toEqual(['finance', 'legal'])
  expect(membershipOf(['finance', 'legal'], proven, by)).toBeNull()
})

test.each([null, {}, 'finance', { groups: 'finance', ...by }, { groups: [7], ...by }, { groups: [], proven_by: 'me' }])(
  '%j is no membership',
  value => {
    expect(isMembership(value)).toBe(false)
  },
)

test('a membership says which groups, and by whose word', () => {
  expect(isMembership({ groups: ['finance'], ...by })).toBe(true)
})
