import { expect, test } from 'vitest'
import { answeredIds, isAutomatic, isSignedFor, type ReceivedMail, readReceived, senderOf } from './received-mail.ts'

function aMail(headers: readonly (readonly [string, string])[], dkim: readonly string[] = []): ReceivedMail {
  const signatures = dkim.map(domain => ({ domain, result: 'pass' }))
  const mail = readReceived({ headers: headers.map(each => [...each]), text: 'approve', dkim: signatures })
  if (!mail) throw new TypeError('no mail')
  return mail
}

test.each([
  ['ana@example.org', 'ana@example.org'],
  ['Ana <Ana@Example.ORG>', 'ana@example.org'],
  ['"ana@example.org" <eve@evil.example>', 'eve@evil.example'],
  ['"Doe, Ana" <ana@example.org>', 'ana@example.org'],
  ['Ana (finance)\r\n <ana@example.org>', 'ana@example.org'],
])('the sender of %j is %s', (from, address) => {
  expect(senderOf(aMail([['From', from]]))).toBe(address)
})

test.each([
  'eve <eve@evil.example>, ana <ana@example.org>',
  'ana@example.org <eve@evil.example> <ana@example.org>',
  'eve@evil.example, ana@example.org',
  'friends: ana@example.org;',
  'ana',
  '',
])('%j names no sender', from => {
  expect(senderOf(aMail([['From', from]]))).toBeNull()
})

test('a mail with two From headers, or none, has no sender', () => {
  expect(
    senderOf(
      aMail([
        ['From', 'ana@example.org'],
        ['from', 'eve@evil.example'],
      ]),
    ),
  ).toBeNull()
  expect(senderOf(aMail([]))).toBeNull()
})

test('P1: only the domain of the sender, or one above it, speaks for the sender', () => {
  const signedBy = (...domains: string[]) => isSignedFor(aMail([], domains), 'ana@mail.example.org')
  expect([signedBy('mail.example.org'), signedBy('Example.org')]).toEqual([true, true])
  expect([signedBy(), signedBy('evil.example'), signedBy('org'), signedBy('notexample.org')]).toEqual([
    false,
    false,
    false,
    false,
  ])
  expect(isSignedFor(aMail([], ['mail.example.org']), 'ana@example.org')).toBe(false)
})

test('a signature that was found bad proves nothing', () => {
  const mail = readReceived({ headers: [], text: '', dkim: [{ domain: 'example.org', result: 'fail' }] })
  expect(mail?.signedBy).toEqual([])
})

test('it answers the nearest mail first', () => {
  const mail = aMail([
    ['In-Reply-To', '<ntc_2@example.org>'],
    ['References', '<hold_1@example.org> <ntc_1@example.org>\r\n <ntc_2@example.org>'],
  ])
  expect(answeredIds(mail)).toEqual(['ntc_2', 'ntc_2', 'ntc_1', 'hold_1'])
})

test.each([
  [['Auto-Submitted', 'auto-replied']],
  [['Precedence', 'bulk']],
  [['X-Autoreply', 'yes']],
  [['Return-Path', '<>']],
] as const)('%j comes from a program', header => {
  expect(isAutomatic(aMail([header]))).toBe(true)
})

test('a mail of a person is not automatic', () => {
  expect(
    isAutomatic(
      aMail([
        ['Auto-Submitted', 'no'],
        ['Return-Path', '<ana@example.org>'],
      ]),
    ),
  ).toBe(false)
})

test.each([
  null,
  [],
  'x',
  {},
  { text: 'x' },
  { text: 'x', headers: [['From']] },
  { text: 1, headers: [] },
  { data: { headers: {} } },
])('%j is no mail', body => {
  expect(readReceived(body)).toBeNull()
})
