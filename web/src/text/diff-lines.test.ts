import { expect, test } from 'vitest'
import { numberedLines } from './diff-lines.ts'

test('lines have the numbers of the text in which they are', () => {
  const lines = numberedLines('@@ -3,4 +3,4 @@\n a\n-b one\n+b two\n c\n')
  expect(lines.map(({ number }) => number)).toEqual([null, 3, 4, 4, 5])
})

/** The words that are set apart, line by line. */
function changedWords(diff: string): readonly (string | null)[] {
  return numberedLines(diff).map(({ line, changed }) => changed && line.slice(changed.from, changed.to))
}

test('what changed within a line is set apart', () => {
  expect(changedWords('@@ -1 +1 @@\n-price: 20 EUR\n+price: 41 EUR\n')).toEqual([null, '20', '41'])
})

test('a word or a number is set apart as a whole', () => {
  expect(changedWords('@@ -1 +1 @@\n-amount: 20\n+amount: 30\n')).toEqual([null, '20', '30'])
  expect(changedWords('@@ -1 +1 @@\n-pay twelve now\n+pay twenty now\n')).toEqual([null, 'twelve', 'twenty'])
})

test('of a line that only grew, nothing is set apart in the shorter one', () => {
  expect(changedWords('@@ -1,2 +1,2 @@\n-aa\n-\n+aa b\n+x\n')).toEqual([null, null, null, ' b', 'x'])
})

test('lines that share little, or are not as many, are left whole', () => {
  for (const diff of ['@@ -1 +1 @@\n-apple\n+house\n', '@@ -1 +1,2 @@\n-one two\n+one\n+two\n'])
    expect(changedWords(diff).every(words => words === null)).toBe(true)
})

test('a character of two code units is set apart as a whole', () => {
  expect(changedWords('@@ -1 +1 @@\n-a happy day \u{1f600}!\n+a happy day \u{1f601}!\n')).toEqual([
    null,
    '\u{1f600}',
    '\u{1f601}',
  ])
})
