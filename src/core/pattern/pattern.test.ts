import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPattern } from './pattern.ts'

function found(source: string, text: string): boolean {
  const pattern = readPattern(source)
  if ('fault' in pattern) throw new TypeError(`${source}: ${pattern.fault}`)
  return pattern.test(text)
}

const atom = fc.constantFrom(
  'a',
  'b',
  'c',
  '.',
  '\\d',
  '\\w',
  '\\s',
  '[ab]',
  '[^a]',
  '\\p{L}',
  '😀',
  '\\u{1F600}',
  '\\n',
  '(?i:A)',
)
const place = fc.constantFrom('^', '$', '\\b', '\\B', '(?m:^)', '(?m:$)', '')
const count = fc.constantFrom('', '', '', '*', '+', '?', '*?', '+?', '{2}', '{1,2}', '{0,}', '{2,}?')
const { source } = fc.letrec<{ source: string; term: string }>(tie => ({
  term: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(atom, count).map(parts => parts.join('')),
    place,
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?<n>', '(?i:', '(?s:'), tie('source'), count)
      .map(([open, within, many]) => `${open}${within})${many}`),
  ),
  source: fc
    .array(
      fc.array(tie('term'), { maxLength: 3 }).map(terms => terms.join('')),
      { minLength: 1, maxLength: 2 },
    )
    .map(choices => choices.join('|')),
}))
const text = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', 'A', '1', '_', ' ', '\n', '😀', 'é', '\ud83d'),
  maxLength: 8,
})

function isValid(written: string): boolean {
  try {
    return Boolean(new RegExp(written, 'u'))
  } catch {
    return false
  }
}

test('a pattern is found where JavaScript finds it', () => {
  fc.assert(
    fc.property(source.filter(isValid), text, (written, where) => {
      // V8 also looks for it between the two halves of a character, which the language does not.
      fc.pre(!written.includes('\\B') || !/[\ud800-\udfff]/.test(where))
      expect(found(written, where), JSON.stringify([written, where])).toBe(new RegExp(written, 'u').test(where))
    }),
    { numRuns: 5_000 },
  )
})

test.each([
  ['^DONE\\b', 'DONE.', true],
  ['x*', '', true],
  ['^.$', '😀', true],
  ['^\\uD83D\\uDE00$', '😀', true],
  ['^[\\w.-]{1,64}@[a-z]+\\.[a-z]{2,}$', 'a.b@example.org', true],
  ['^[\\]\\\\]$', ']', true],
  ['a{2', 'x', null],
  ['[', 'x', null],
])('%j in %j: %j', (written, where, expected) => {
  const pattern = readPattern(written)
  expect('fault' in pattern ? null : pattern.test(where)).toBe(expected)
})

test.each(['(a+)+$', '(a|a)*$', '(a*)*b', '([a-z]+)*!', '(.*)*x', '^(\\w+\\s?)*$', '(a?){30}a{30}'])(
  'over %j and a text of 20,000 characters it takes no longer than it must',
  written => {
    expect(found(written, `${'a'.repeat(20_000)}!!`)).toBeTypeOf('boolean')
  },
)

test.each([
  ['a(?=b)', 'looks around'],
  ['(?!a)b', 'looks around'],
  ['(?<=a)b', 'looks around'],
  ['(?<!a)b', 'looks around'],
  ['(a)\\1', 'refers back'],
  ['(?<x>a)\\k<x>', 'refers back'],
  ['(a{1000}){1000}', 'counts too far'],
])('%j is taken by no engine that is sure to end, and it is said why', (written, why) => {
  expect(readPattern(written)).toMatchObject({ fault: expect.stringContaining(why), isIrregular: true })
})

test('what JavaScript does not take is a fault of another kind', () => {
  expect(readPattern('(')).toMatchObject({ isIrregular: false })
})
