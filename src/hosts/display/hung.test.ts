import { expect, test } from 'vitest'
import { hung } from './hung.ts'

test.each([
  ['a line that fits', 'one two', 7, 'one two'],
  ['the rest of a line is set in', 'one two three four', 12, 'one two\n    three\n    four'],
  ['a line that is set in itself', '      one two', 12, '      one\n      two'],
  ['an id is never broken', 'id 12345678901234567890', 12, 'id\n    12345678901234567890'],
  ['each line by itself', 'one\ntwo three four', 12, 'one\ntwo\n    three\n    four'],
  ['no terminal', 'one two three four', Number.POSITIVE_INFINITY, 'one two three four'],
])('%s', (_what, text, columns, broken) => {
  expect(hung(text, columns)).toBe(broken)
})
