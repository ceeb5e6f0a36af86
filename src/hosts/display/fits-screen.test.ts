import { expect, test } from 'vitest'
import { fitsScreen, rowsOf } from './screen.ts'

test.each([
  ['one line', 'abc\n', 1],
  ['lines that fit', 'abc\nabcdefghij\n\n', 3],
  ['a line that is broken', `${'a'.repeat(21)}\n`, 3],
  ['wide characters', `${'漢'.repeat(6)}\n`, 2],
])('%s takes as many rows as a terminal of ten columns needs', (_, text, rows) => {
  expect(rowsOf(text, 10)).toBe(rows)
})

test.each([
  [true, 3, true],
  [true, 2, false],
  [false, 2, true],
])('if it is a terminal (%s) of %d rows, three lines fit: %s', (isTerminal, rows, fits) => {
  expect(fitsScreen('a\nb\nc\n', { isTerminal, width: () => 10, height: () => rows })).toBe(fits)
})
