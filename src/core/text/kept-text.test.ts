import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keptText, unkeptCharacter, wellFormed } from './kept-text.ts'

test.each([
  ['a\0b', 'U+0000', 'a\ufffdb'],
  ['a\ud83d', 'U+D83D', 'a\ufffd'],
  ['\udc4db', 'U+DC4D', '\ufffdb'],
  ['👍\ud83d👍', 'U+D83D', '👍\ufffd👍'],
])('of %j the character that no store keeps is %s', (text, character, kept) => {
  expect([unkeptCharacter(text), keptText(text)]).toEqual([character, kept])
})

test.each(['', 'plain', '👍', '\u0001\n', '\ufffd'])('%j is kept as it is', text => {
  expect([unkeptCharacter(text), keptText(text)]).toEqual([null, text])
})

test.each<readonly [unknown, unknown]>([
  ['a\ud83d', 'a\ufffd'],
  ['\udc4d\ud83d', '\ufffd\ufffd'],
  ['👍\ud83d👍', '👍\ufffd👍'],
  [
    ['a', ['\ud83d']],
    ['a', ['\ufffd']],
  ],
  [{ a: { '\ud83d': '\udc4d', b: 1 } }, { a: { '\ufffd': '\ufffd', b: 1 } }],
  [JSON.parse('{"__proto__": "\\ud83d"}'), JSON.parse('{"__proto__": "\\ufffd"}')],
])('%j is mended to %j', (given, mended) => {
  expect(wellFormed(given)).toEqual(mended)
})

test('a value without half a character is the very same value', () => {
  const kept = [null, 1, true, '👍', '\0', undefined, { a: ['👍', { b: 'x' }], at: new URL('http://x/') }, /x/]
  for (const value of kept) expect(wellFormed(value)).toBe(value)
  const shared = { deep: [1, 2] }
  expect(wellFormed({ shared, half: '\ud83d' }).shared).toBe(shared)
})

test('whatever JSON is mended has no half of a pair, and is mended once', () => {
  const half = fc.string({ unit: fc.constantFrom('a', '😀', '\ud83d', '\ude00') })
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.dictionary(half, half), (value, more) => {
      const mended = wellFormed([value, more])
      expect(JSON.stringify(mended)).not.toMatch(/(?<!\\)(?:\\\\)*\\ud[89a-f]/)
      expect(wellFormed(mended)).toBe(mended)
    }),
  )
})
