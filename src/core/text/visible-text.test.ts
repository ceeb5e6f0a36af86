import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from './json.ts'
import { visibleJson, visibleLine } from './visible-text.ts'

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
