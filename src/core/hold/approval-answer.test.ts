import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readApprovalAnswer } from './approval-answer.ts'

const said = (text: string) => readApprovalAnswer(text, 'tolerant')

const YES = ['yes', 'y', 'approve', 'approved', 'ok', 'lgtm', 'okay', 'yep']
const NO = ['no', 'n', 'deny', 'denied', 'reject', 'nope', 'rejected', 'declined']

test.each([
  ...YES,
  ...['Yes', 'Y', ' APPROVED\n', 'LGTM', '\tOk ', 'Yes!', 'ok.', 'yes!!', 'Okay !'],
  ...['👍', '👍🏽', '\u{1F44D}\u{FE0F}', ':+1:', 'LGTM :+1:', 'Yes! 👍', '/approve', '/Approve '],
])('%j approves', text => {
  expect(said(text)).toEqual({ verdict: 'approve', reason: null })
})

test.each([...NO, 'No', ' N ', 'No!', 'denied.', 'NOPE', '👎', '👎🏿', ':-1:', 'no 👎', '/deny', '/REJECT'])(
  '%j rejects',
  text => {
    expect(said(text)).toEqual({ verdict: 'reject', reason: null })
  },
)

test.each([
  ['/deny too late', 'reject', 'too late'],
  ['/Reject  not on a Friday\nask Ben ', 'reject', 'not on a Friday\nask Ben'],
  ['/approve\nas agreed', 'approve', 'as agreed'],
  ['/approve see /etc/hosts', 'approve', 'see /etc/hosts'],
] as const)('of %j the words behind the command are the reason', (text, verdict, reason) => {
  expect(said(text)).toEqual({ verdict, reason })
})

test.each([
  ...['', ' ', '.', '!', '/', 'maybe', 'sure', 'fine', 'go', 'wait', '1', 'true', '+1', 'null', 'constructor'],
  ...['yes but not prod', 'no problem', 'ok wait', 'not ok', 'approve? no', 'yes no', 'yes, please', 'no, too late'],
  ...['yes?', 'ok?', 'ok...', 'yes,', '"yes"', '> yes', 'yes\nno', 'yes yes', 'y e s', 'deny why'],
  ...['👍👎', '👍 no', 'no 👍', 'yes 👎', '👍 yes', '👍👍', '\u{1F3FD}'],
  ...[
    '/approved',
    '/yes',
    '/approve? no',
    '/approve, no',
    '/approve /deny',
    '/deny on Friday, else\n/approve',
    '//approve',
  ],
])('%j is unclear', text => {
  expect(said(text)).toEqual({ verdict: 'unclear', reason: null })
})

test.each([
  ['fullwidth letters', 'ｙｅｓ'],
  ['a zero-width space inside', 'ye\u200bs'],
  ['a zero-width joiner behind', 'yes\u200d'],
  ['a Kelvin sign', 'o\u212a'],
  ['a Cyrillic letter', 'уes'],
  ['a combining mark', 'yes\u0336'],
  ['a right-to-left override', '\u202eyes'],
  ['a soft hyphen', 'ap\u00adprove'],
  ['a command cut by a zero-width space', '/approve\u200bno'],
])('P1: a yes with %s approves nothing', (_, text) => {
  expect(said(text).verdict).toBe('unclear')
  expect(readApprovalAnswer(text, 'strict')).toEqual({ verdict: 'reject', reason: text })
})

test.each(['yes', 'y', 'approve', 'approved', ' YES\n', 'Approved'])('in strict mode %j approves', text => {
  expect(readApprovalAnswer(text, 'strict')).toEqual({ verdict: 'approve', reason: null })
})

test.each([
  ...[...YES.slice(4), ...NO, 'yes!', 'yes.', '👍', 'yes 👍', '/approve', 'yes but not prod', 'maybe', 'ok?'],
])('in strict mode %j rejects, and is the reason', text => {
  expect(readApprovalAnswer(` ${text} `, 'strict')).toEqual({ verdict: 'reject', reason: text })
})

test('an empty text is for the caller to judge, in strict mode too', () => {
  for (const text of ['', ' \n\t']) expect(readApprovalAnswer(text, 'strict').verdict).toBe('unclear')
})

/** Written down apart from the tables that it checks: letters, an ending, a thumb. */
const MAY_APPROVE =
  /^(?:(?:yes|y|approved?|ok|okay|lgtm|yep)(?:\.|!{1,3}| !)?(?: (?::\+1:|👍[\ufe0f🏻🏼🏽🏾🏿]?))?|:\+1:|👍[\ufe0f🏻🏼🏽🏾🏿]?|\/approve(?:\s.*)?)$/isu

const pieces = fc.constantFrom(
  ...[
    ...YES,
    ...NO,
    '/approve',
    '/deny',
    '👍',
    '👎',
    ':+1:',
    '.',
    '!',
    '?',
    ',',
    ' ',
    '\n',
    '\u200b',
    '\u212a',
    'ｙ',
    'not',
  ],
)
const almostAnswers = fc.oneof(
  fc.array(pieces, { maxLength: 4 }).map(parts => parts.join('')),
  fc.string({ unit: 'grapheme' }),
)

test('P1: nothing outside the table ever approves', () => {
  fc.assert(
    fc.property(almostAnswers, text => {
      if (said(text).verdict !== 'approve') return
      expect(text.trim()).toMatch(MAY_APPROVE)
      // The pattern ignores case as Unicode does, for which the Kelvin sign is a k.
      expect(text.trim().split(/\s/)[0]).not.toContain('\u212a')
    }),
    { numRuns: 2000 },
  )
})

test('P1: what approves strictly approves tolerantly too', () => {
  fc.assert(
    fc.property(almostAnswers, text => {
      if (readApprovalAnswer(text, 'strict').verdict === 'approve') expect(said(text).verdict).toBe('approve')
    }),
    { numRuns: 2000 },
  )
})

test('case and surrounding white space change nothing', () => {
  const space = fc.constantFrom('', ' ', '\n', '\t', '\u00a0')
  fc.assert(
    fc.property(fc.constantFrom(...YES, ...NO), space, space, fc.func(fc.boolean()), (word, before, after, isUpper) => {
      const cased = [...word].map((letter, at) => (isUpper(at) ? letter.toUpperCase() : letter)).join('')
      expect(said(before + cased + after)).toEqual(said(word))
    }),
  )
})

test('every answer is one of three, and a reason comes with a clear one only', () => {
  fc.assert(
    fc.property(almostAnswers, fc.constantFrom('tolerant', 'strict'), (text, mode) => {
      const { verdict, reason } = readApprovalAnswer(text, mode)
      expect(['approve', 'reject', 'unclear']).toContain(verdict)
      if (verdict === 'unclear') expect(reason).toBeNull()
      if (reason !== null) expect(text).toContain(reason)
    }),
  )
})
