import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from './json.ts'
import { visibleJson, visibleLine, visibleParts, visibleText } from './visible-text.ts'

test('P9: JSON that is shown to be edited hides nothing and is the same JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), value => {
      const text = visibleJson(value as Json)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(visibleLine(text.replaceAll('\n', ''))).toBe(text.replaceAll('\n', ''))
    }),
    { numRuns: 500 },
  )
})

test.each([
  ['a\u202eb', '"a\\u202eb"'],
  ['\u{e0041}', '"\\udb40\\udc41"'],
  ['zero\u200bwidth', '"zero\\u200bwidth"'],
  ['é ß 漢', '"é ß 漢"'],
])('%j is written as %s', (value, text) => {
  expect(visibleJson(value)).toBe(text)
})

test('P9: the parts of a text are its visible text, and only what hides is a mark', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      const parts = visibleParts(text)
      expect(parts.map(part => part.text).join('')).toBe(visibleText(text))
      expect(parts.map(part => part.source).join('')).toBe(text)
    }),
  )
  expect(visibleParts('a\u202e\u200bb')).toEqual([
    { text: 'a', source: 'a', isMark: false },
    { text: '\\u{202e}\\u{200b}', source: '\u202e\u200b', isMark: true },
    { text: 'b', source: 'b', isMark: false },
  ])
  expect(visibleParts('a\u200b'.repeat(5_000))).toHaveLength(1)
})
