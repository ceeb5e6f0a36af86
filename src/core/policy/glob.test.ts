import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchesGlob } from './glob.ts'

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
