import { expect, test } from 'vitest'
import { numberedLines } from './diff-lines.ts'

test('lines have the numbers of the text in which they are', () => {
  const lines = numberedLines('@@ -3,4 +3,4 @@\n a\n-b one\n+b two\n c\n')
  expect(lines.map(({ number }) => number)).toEqual([null, 3, 4, 4, 5])
})

test('what changed within a line is set apart', () => {
  const [, was, is] = numberedLines('@@ -1 +1 @@\n-price: 20 EUR\n+price: 41 EUR\n')
  expect(was?.parts).toEqual(['-price: ', '20', ' EUR'])
  expect(is?.parts).toEqual(['+price: ', '41', ' EUR'])
})

test('lines that share little, or are not as many, are left whole', () => {
  for (const diff of ['@@ -1 +1 @@\n-apple\n+house\n', '@@ -1 +1,2 @@\n-one two\n+one\n+two\n'])
    expect(numberedLines(diff).every(({ line, parts }) => parts[0] === line)).toBe(true)
})

test('the parts of a line are the line', () => {
  for (const { line, parts } of numberedLines('@@ -1,2 +1,2 @@\n-aa\n-\n+aaa\n+x\n')) expect(parts.join('')).toBe(line)
})
