import { expect, test } from 'vitest'
import { ownWords } from './own-words.ts'

const QUOTE = '> support asks: May refund run?\n>\n>     { "amount": 250 }\n'

test.each([
  [
    'the answer above a quotation',
    `approve\n\nOn Mon, 23 Nov 2026 at 03:00, Holdpoint <holds@example.org> wrote:\n\n${QUOTE}`,
  ],
  [
    'a line before the quotation that is broken',
    `approve\n\nOn Mon, 23 Nov 2026 at 03:00, Holdpoint\n<holds@example.org>\nwrote:\n${QUOTE}`,
  ],
  ['no empty line between', `approve\nAm 23.11.2026 um 03:00 schrieb Holdpoint <holds@example.org>:\n${QUOTE}`],
  ['a signature', `approve\n\n-- \nAna, finance\n+49 1234\n\n${QUOTE}`],
  ['a phone that says so', `approve\n\nSent from my iPhone\n\n${QUOTE}`],
  [
    'an original without marks',
    'approve\n\n________________________________\nFrom: Holdpoint <holds@example.org>\nSent: Monday\n\nMay refund run?',
  ],
  ['an original below a line', 'approve\r\n\r\n-----Original Message-----\r\nFrom: Holdpoint\r\n\r\ndeny'],
  ['the form of the page', 'approve\n\nOn Monday, Holdpoint wrote:\n> …'],
  ['our name alone', `approve\n\nHoldpoint wrote:\n${QUOTE}`],
  ['a weekday in German', `approve\n\nAm Montag schrieb Holdpoint:\n${QUOTE}`],
  ['French', `approve\n\nLe lundi, Holdpoint a écrit :\n${QUOTE}`],
  ['a quotation that is set in', `approve\n\nOn Monday, Holdpoint wrote:\n${QUOTE.replaceAll(/^>/gm, ' >')}`],
  ['a German original', 'approve\n\n-----Ursprüngliche Nachricht-----\nVon: Holdpoint\n\nMay refund run?'],
  ['a French original', "approve\n\n-----Message d'origine-----\nDe : Holdpoint\n\nMay refund run?"],
  ['bold headers', 'approve\n\n*From:* Holdpoint <holds@example.org>\n*Sent:* Monday\n\nMay refund run?'],
  ['a German phone', 'approve\n\nVon meinem iPhone gesendet\n\n> May refund run?'],
  ['a French phone', `approve\n\nEnvoyé de mon iPhone\n\n${QUOTE}`],
  ['a mail program', `approve\n\nSent with Proton Mail secure email.\n\n${QUOTE}`],
  ['the answer below the quotation', `Holdpoint wrote in 2026:\n${QUOTE}\napprove\n`],
])('of %s the words of the person are left', (_what, text) => {
  expect(ownWords(text)).toBe('approve')
})

test('P1: what is said below an approval stays with it, so that it is not clear', () => {
  expect(ownWords(`approve\n\n${QUOTE}\nbut only on staging\n`)).toBe('approve\n\n\nbut only on staging')
  expect(ownWords('approve\n\nif ben agrees')).toBe('approve\n\nif ben agrees')
  for (const condition of [
    'only what Ben wrote:',
    'On staging alone, as Ben wrote:',
    'Only this:',
    'not all that Holdpoint wrote:',
  ])
    expect(ownWords(`approve\n${condition}\n${QUOTE}`)).toContain(condition)
  for (const more of ['From ben I hear no', 'sent from staging only', 'de: ana'])
    expect(ownWords(`approve\n${more}`)).toBe(`approve\n${more}`)
})

test('a reply that only quotes says nothing', () => {
  expect(ownWords(QUOTE)).toBe('')
  expect(ownWords('')).toBe('')
})

test('a colon in an answer is no quotation', () => {
  expect(ownWords(`deny: too much\n\nOn Mon, 23 Nov 2026, Holdpoint <holds@example.org> wrote:\n${QUOTE}`)).toBe(
    'deny: too much',
  )
  expect(ownWords(`See here:\n${QUOTE}`)).toBe('See here:')
})
