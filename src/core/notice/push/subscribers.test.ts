import { expect, test } from 'vitest'
import { aHold } from '../../../testing/contracts/sample-journal.ts'
import type { Hold } from '../../hold/hold.ts'
import { readQuietHours } from '../../people/quiet-hours.ts'
import { readSignIn } from '../../settings/people/sign-in-settings.ts'
import { type PushDirectory, subscribersOf } from './subscribers.ts'
import type { Subscription } from './subscription.ts'

const ISSUER = 'https://id.example.org'
const AT = '2030-01-01T00:00:00.000Z'
const NOW = Date.parse(AT)

const signIn = readSignIn({
  oidc: {
    ...{ issuer: ISSUER, client_id: 'holds', groups: { finance: ['Finance'] } },
    roles: { decider: ['Finance', 'mia'], viewer: ['*'] },
  },
})
const directory: PushDirectory = { people: {}, groups: { managers: ['mia'] }, signIn }

const byToken = (name: string, changes: Partial<Subscription> = {}): Subscription => ({
  ...{ id: `push_${name}`, name, role: 'decider', groups: [], proof: null, created_at: AT },
  ...{ endpoint: 'https://push.example.org/1', p256dh: 'BA', auth: 'AA' },
  ...changes,
})
const byProvider = (name: string, groups: readonly string[], changes: Partial<Subscription> = {}) =>
  byToken(name, { groups, proof: { kind: 'provider', issuer: ISSUER, subject: name }, ...changes })

function heard(subscription: Subscription, hold: Partial<Hold> = {}, event: 'opened' | 'decided' = 'opened') {
  const occasion = { event, hold: aHold({ id: 'hold_1', ...hold }), at: AT, now: NOW }
  return subscribersOf(directory, [subscription], occasion).length === 1
}

const FINANCE = { people: [], groups: ['finance'], not_requester: false, quorum: 1 } as unknown as Hold['deciders']

test('who may decide hears of an open hold, and of nothing else', () => {
  expect(heard(byToken('ana'))).toBe(true)
  expect(heard(byToken('ana'), {}, 'decided')).toBe(false)
  expect(heard(byToken('ana'), { status: 'decided' })).toBe(false)
  expect(heard(byToken('ana', { created_at: '2030-01-01T00:00:00.001Z' }))).toBe(false)
})

test('P1: nobody hears who is a viewer, or whose row was damaged', () => {
  expect(heard(byToken('ana', { role: 'viewer' }))).toBe(false)
  expect(heard(byToken('ana', { unreadable: { columns: ['role'], problem: 'its role is not known' } }))).toBe(false)
})

test('P1: a person of a provider hears by the role and the groups that the settings give today', () => {
  expect(heard(byProvider('ben', ['Finance']), { deciders: FINANCE })).toBe(true)
  expect(heard(byProvider('ben', ['Sales'], { role: 'admin' }), { deciders: FINANCE })).toBe(false)
  expect(heard(byProvider('ben', ['Sales'], { role: 'admin' }))).toBe(false)
  const elsewhere = { kind: 'provider', issuer: 'https://other.example.org', subject: 'ben' } as const
  expect(heard(byProvider('ben', ['Finance'], { proof: elsewhere }))).toBe(false)
})

test('what is assigned is told to the assignee alone, and to the members of an assigned group', () => {
  expect(heard(byToken('ana'), { assignee: 'mia' })).toBe(false)
  expect(heard(byToken('mia'), { assignee: 'mia' })).toBe(true)
  expect(heard(byToken('mia'), { assignee: '@managers' })).toBe(true)
  expect(heard(byProvider('ben', ['Finance']), { assignee: '@finance' })).toBe(true)
  expect(heard(byProvider('mia', []), { assignee: '@finance' })).toBe(false)
})

test('a push waits for the end of quiet hours', () => {
  const quiet = readQuietHours('23:00-07:00 UTC')
  const people = { ana: { addresses: {}, quiet, want: {} } }
  const occasion = { event: 'opened', hold: aHold({ id: 'hold_1' }), at: AT, now: NOW } as const
  const [recipient] = subscribersOf({ ...directory, people }, [byToken('ana')], occasion)
  expect(new Date(recipient?.at ?? 0).toISOString()).toBe('2030-01-01T07:00:00.000Z')
})
