import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { leftWidth, pairLines, proseWidth, UNBROKEN, wrapped, wrappedCommand } from './wrap.ts'

test.each([
  ['a line that fits', 'one two', 7, ['one two']],
  ['a word more than fits', 'one two three', 7, ['one two', 'three']],
  ['a word that is wider than the line', 'a incomprehensible b', 8, ['a', 'incomprehensible', 'b']],
  ['a command between backquotes', 'see `holdpoint show HOLD` for it', 20, ['see', '`holdpoint show HOLD`', 'for it']],
  ['a lone backquote', 'a ` b', 3, ['a `', 'b']],
  ['blanks at which no line breaks', `--tool${UNBROKEN}NAME --store${UNBROKEN}URL`, 12, ['--tool NAME', '--store URL']],
  ['two blanks', 'a  b c', 4, ['a  b', 'c']],
  ['nothing', '', 10, []],
])('%s', (_what, text, width, lines) => {
  expect(wrapped(text, width)).toEqual(lines)
})

test('wrapping keeps every word in order, and no line is wider than it may be unless it is one word', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z]{1,12}$/)), fc.integer({ min: 5, max: 60 }), (words, width) => {
      const lines = wrapped(words.join(' '), width)
      expect(lines.join(' ')).toBe(words.join(' '))
      for (const line of lines) expect(line.length <= width || !line.includes(' ')).toBe(true)
    }),
  )
})

test('a shell takes the lines of a wrapped command for the same words', () => {
  const command = `printf '%s|' one "two  words" '{"a": [1, 2], "b": "three words"}' --four=4 "$(printf '%s' five six)"`
  const printed = (text: string): string => execFileSync('sh', ['-c', text], { encoding: 'utf8' })
  for (const width of [45, 60, 80, 200]) {
    const lines = wrappedCommand(command, width)
    expect(printed(lines.join('\n'))).toBe(printed(command))
    expect(lines.filter(line => line.length > width)).toEqual([])
  }
})

test('a meaning is wrapped beside its term, and a term that is too wide has a line of its own', () => {
  const pairs = [
    ['-a', 'short'],
    ['--store URL', 'somewhere that is rather far away'],
    ['--system-prompt-file FILE', 'instructions'],
  ] as const
  const left = leftWidth(pairs, 12)
  expect(left).toBe(11)
  expect(pairLines(pairs, left, 40)).toEqual([
    '  -a           short',
    '  --store URL  somewhere that is rather',
    '               far away',
    '  --system-prompt-file FILE',
    '               instructions',
  ])
})

test.each([
  [80, 80],
  [200, 100],
  [10, 40],
])('in %i columns prose is %i wide', (columns, width) => {
  expect(proseWidth(columns)).toBe(width)
})
