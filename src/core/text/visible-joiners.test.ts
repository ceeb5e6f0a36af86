import { describe, expect, test } from 'vitest'
import { visibleLine, visibleProse, visibleText } from './visible-text.ts'

describe('joiners where writing uses them are shown as they are', () => {
  test.each([
    ['Persian', 'می\u200cخواهم'],
    ['Persian with a vowel sign', 'مِی\u200cخواهم'],
    ['Persian plural', 'کتاب\u200cها'],
    ['Hindi half form', 'क\u094d\u200dष'],
    ['Hindi explicit sign', 'क\u094d\u200cष'],
    ['Malayalam at the end of a word', 'അവന\u0d4d\u200d'],
    ['Bengali', 'র\u200d\u09cdয'],
    ['Sinhala', 'ශ\u0dca\u200dරී'],
    ['a family', '👩\u200d👩\u200d👧'],
    ['a skin', '👩🏽\u200d🚀'],
    ['a heart on fire', '❤\ufe0f\u200d🔥'],
  ])('%s', (_, text) => {
    expect([visibleText(text), visibleLine(text), visibleProse(text)]).toEqual([text, text, text])
  })
})

describe('joiners that hide are escaped', () => {
  test.each([
    ['in a Latin word', 'pay\u200cpal', 'pay\\u{200c}pal'],
    ['joined Latin', 'pay\u200dpal', 'pay\\u{200d}pal'],
    ['at the end of a word', 'می\u200c', 'می\\u{200c}'],
    ['before a word', '\u200cمی', '\\u{200c}می'],
    ['after a letter that joins to nothing', 'کار\u200cها', 'کار\\u{200c}ها'],
    ['twice', 'می\u200c\u200cخ', 'می\\u{200c}\\u{200c}خ'],
    ['between scripts', 'می\u200cx', 'می\\u{200c}x'],
    ['a joiner of Arabic letters', 'می\u200dخ', 'می\\u{200d}خ'],
    ['without the sign', 'क\u200dष', 'क\\u{200d}ष'],
    ['between a picture and a letter', '👩\u200da', '👩\\u{200d}a'],
    ['between digits', '1\u200d2', '1\\u{200d}2'],
    ['a picture that is one already', '😀\ufe0f', '😀\\u{fe0f}'],
    ['the sign of a digit', '1\ufe0f', '1\\u{fe0f}'],
    ['in a path', '/etc/\u200cpasswd', '/etc/\\u{200c}passwd'],
  ])('%s', (_, text, shown) => {
    expect([visibleText(text), visibleLine(text)]).toEqual([shown, shown])
  })
})

test('a long row of joiners takes no long time', () => {
  const text = `ب${'\u0650'.repeat(100_000)}${'\u200c'.repeat(100_000)}`
  expect(visibleText(text)).toContain('\\u{200c}'.repeat(100_000))
})
