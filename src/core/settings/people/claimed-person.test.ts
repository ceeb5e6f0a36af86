import { expect, test } from 'vitest'
import { claimedPerson } from './claimed-person.ts'
import { readPeople } from './person-settings.ts'
import type { ClaimSettings } from './sign-in-settings.ts'

const settings: ClaimSettings = {
  name_claim: 'email',
  groups_claim: 'groups',
  roles: { viewer: ['staff'], decider: ['finance'], admin: ['olga@example.org'] },
  groups: {},
}
const ana = { email: 'ana@example.org', email_verified: true, groups: ['staff', 'finance'] }

test('the most that a group or the name may is the role', () => {
  expect(claimedPerson(ana, settings, null)).toEqual({
    name: 'ana@example.org',
    role: 'decider',
    groups: ['staff', 'finance'],
  })
  expect(claimedPerson({ ...ana, email: 'olga@example.org', groups: [] }, settings, null)).toMatchObject({
    role: 'admin',
  })
})

test.each(['staff,finance', 'other, finance', 'finance'])('groups may be a text: %s', groups => {
  expect(claimedPerson({ ...ana, groups }, settings, null)).toMatchObject({ role: 'decider' })
})

test('a person whose mail address the project knows signs with the name that they have there', () => {
  const people = readPeople({ ana: { mail: 'Ana@example.org' } })
  expect(claimedPerson(ana, settings, people)).toMatchObject({ name: 'ana' })
  const unverified = { ...ana, sub: 'x1', email_verified: false }
  expect(claimedPerson(unverified, { ...settings, name_claim: 'sub' }, people)).toMatchObject({ name: 'x1' })
})

test.each([
  ['an address that nobody verified', { ...ana, email_verified: false }],
  ['an address of which it is not said', { email: ana.email, groups: ana.groups }],
  ['no name', { groups: ana.groups }],
  ['no group that counts', { ...ana, groups: ['other'] }],
  ['the name of an agent', { ...ana, email: 'agent:default' }],
  ['a name with characters that do not show', { ...ana, email: 'an​a@example.org' }],
])('P1: %s makes nobody known', (_what, claims) => {
  expect(claimedPerson(claims, settings, null)).toHaveProperty('problem')
})

test.each(['staff finance', 'finance interns', 'old finance, staff'])('P1: %j names no group finance', groups => {
  expect(claimedPerson({ ...ana, groups }, settings, null)).not.toMatchObject({ role: 'decider' })
})

test('P1: an address that two people share, or that only looks like that of one, is nobody of the project', () => {
  const shared = readPeople({ ana: { mail: 'team@example.org' }, ben: { mail: 'team@example.org' } })
  expect(claimedPerson({ ...ana, email: 'team@example.org' }, settings, shared)).toMatchObject({
    name: 'team@example.org',
  })
  const people = readPeople({ mike: { mail: 'mike@example.org' } })
  const kelvin = 'mi\u212ae@example.org'
  expect(kelvin.toLowerCase()).toBe('mike@example.org')
  expect(claimedPerson({ ...ana, email: kelvin }, settings, people)).not.toMatchObject({ name: 'mike' })
})
