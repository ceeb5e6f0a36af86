import { expect, test } from 'vitest'
import { keptText, unkeptCharacter } from './kept-text.ts'

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
