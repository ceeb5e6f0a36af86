import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchesGlob, matchesWords } from './glob.ts'

const piece = fc.string({
  unit: fc.constantFrom('a', 'b', '.', '?', '[', ']', '\\', '/', ' ', '\n', '😀'),
  maxLength: 6,
})
const pattern = fc.array(fc.oneof(piece, fc.constant('*')), { maxLength: 6 }).map(parts => parts.join(''))

/** The same by a regular expression in which only the star means something. */
function asExpression(glob: string): RegExp {
  const literals = glob.split('*').map(text => text.replaceAll(/[.?[\]\\/^$+(){}|]/g, '\\$&'))
  return new RegExp(`^${literals.join('.*')}$`, 's')
}

test('a glob matches what the regular expression with the same meaning does', () => {
  fc.assert(
    fc.property(pattern, piece, piece, (glob, one, two) => {
      for (const text of [one + two, glob, glob.replaceAll('*', one), glob.replaceAll('*', two) + one]) {
        expect(matchesGlob(glob, text), JSON.stringify([glob, text])).toBe(asExpression(glob).test(text))
      }
    }),
    { numRuns: 2_000 },
  )
})

test('a glob over few letters matches what the regular expression does', () => {
  const few = (...units: string[]) => fc.string({ unit: fc.constantFrom(...units), maxLength: 7 })
  fc.assert(
    fc.property(few('a', 'b', '*'), few('a', 'b'), (glob, text) => {
      expect(matchesGlob(glob, text), JSON.stringify([glob, text])).toBe(asExpression(glob).test(text))
    }),
    { numRuns: 5_000 },
  )
})

test('whatever stands for the stars, the text matches', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string(), { minLength: 1, maxLength: 5 }),
      fc.array(fc.string(), { minLength: 4, maxLength: 4 }),
      (parts, fills) => {
        const literal = parts.map(part => part.replaceAll('*', ''))
        const text = literal.reduce((before, part, index) => before + (fills[index - 1] ?? '') + part)
        expect(matchesGlob(literal.join('*'), text)).toBe(true)
      },
    ),
  )
})

test.each([
  ['git status*', 'git status', true],
  ['git status*', 'git status --short', true],
  ['git status*', 'sudo git status', false],
  ['git status', 'git status ', false],
  ['*', '', true],
  ['', '', true],
  ['', 'a', false],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['a*b*b', 'ab', false],
  ['*a*', 'bbabb', true],
  ['a**b', 'ab', true],
  ['a?c', 'abc', false],
  ['[ab]', 'a', false],
  ['.*', 'x', false],
])('%j on %j is %j', (glob, text, expected) => {
  expect(matchesGlob(glob, text)).toBe(expected)
})

test('many stars on a long text take no longer than they must', () => {
  const glob = `${'a*'.repeat(200)}b`
  expect(matchesGlob(glob, 'a'.repeat(100_000))).toBe(false)
})

/** Words are apart by `|`. */
test.each([
  ['cat docs/**', 'cat|docs/a/b', true],
  ['cat docs/**', 'cat|docs/a|.env', false],
  ['cat docs/**', 'cat|docs/a|/etc/passwd', false],
  ['cat docs/*', 'cat|docs/a b', true],
  ['cat docs/*', 'cat|docs/a b|c', false],
  ['curl https://example.org/*', 'curl|https://example.org/x', true],
  ['curl https://example.org/*', 'curl|https://example.org/x|-o|.git/hooks/pre-commit', false],
  ['rm build/*', 'rm|build/a|-rf|src', false],
  ['cp docs/* out/*', 'cp|docs/a|out/b', true],
  ['cp docs/* out/*', 'cp|docs/a|.git/x|out/b', false],
  ['cat docs/* *', 'cat|docs/a|b|c', true],
  ['./build.sh *', './build.sh|clean|all', true],
  ['git status*', 'git|status|--short', true],
  ['npm test*', 'npm|test|--|src/a', true],
  ['git log *', 'git|log|-1|src/a', true],
])('P1: of words, %j permits %j: %j', (glob, words, expected) => {
  expect(matchesWords(glob, words.split('|'))).toBe(expected)
})

test('P1: of words, no pattern permits more than its text, and without a path it permits the same', () => {
  fc.assert(
    fc.property(pattern, fc.array(piece, { minLength: 1, maxLength: 4 }), (glob, words) => {
      const asText = matchesGlob(glob, words.join(' '))
      expect(matchesWords(glob, words) && !asText).toBe(false)
      if (!glob.includes('/')) expect(matchesWords(glob, words)).toBe(asText)
    }),
    { numRuns: 2_000 },
  )
})
