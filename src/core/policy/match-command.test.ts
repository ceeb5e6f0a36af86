import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchesGlob } from './glob.ts'
import { coverageOf, type WordPieces } from './match-command.ts'

/** Words as in a shell, but for `?`, which stands for text that is unknown. */
function words(text: string): WordPieces[] {
  return text.split(' ').map(word => word.split('?'))
}

const COVERED: readonly (readonly [pattern: string, text: string, coverage: string])[] = [
  ['git push*', 'git push', 'surely'],
  ['git push *', 'git push', 'surely'],
  ['git push', 'git push', 'surely'],
  ['git push', 'git push origin', 'no'],
  ['git push*', 'git pull', 'no'],
  ['git push*', 'git stash push', 'no'],
  ['git push*', 'git -C . push', 'surely'],
  ['git push*', 'git -C . --no-pager -c a.b=c push origin', 'surely'],
  ['git push*', 'git --git-dir=x push', 'surely'],
  ['git push*', 'git --git-dir=x status push', 'no'],
  ['aws s3 rm*', 'aws --profile p s3 --region r rm s3://x', 'surely'],
  ['cargo publish*', 'cargo +nightly publish', 'surely'],
  ['make deploy*', 'make ENV=prod deploy', 'surely'],
  ['curl POST*', 'curl -XPOST x', 'surely'],
  ['curl POST*', 'curl --request=POST x', 'surely'],
  ['git push*', 'git ?', 'perhaps'],
  ['git push*', 'git pu?', 'perhaps'],
  ['git push*', 'git pull?', 'no'],
  ['git push*', 'git log ?', 'no'],
  ['git push*', 'git push ?', 'surely'],
  ['git push', 'git push ?', 'perhaps'],
  ['git push*', 'git ? push', 'surely'],
  ['git push*', 'git -C ? push', 'surely'],
  ['git push*', '? push', 'perhaps'],
  ['git push origin main*', 'git push ? ma?', 'perhaps'],
  ['rm *', 'r?m x', 'perhaps'],
  ['rm *', 'ls ?', 'no'],
  ['*secret*', 'cat ?', 'perhaps'],
  ['*secret*', 'cat a?secret', 'surely'],
]

test.each(COVERED)('P1: %j covers %j: %s', (pattern, text, coverage) => {
  const found = coverageOf(pattern, { words: words(text), doubt: null })
  // An option that may vanish leaves the words behind it as they are, and a doubt is no less binding.
  const expected = coverage === 'surely' && text.includes(' ? ') ? ['surely', 'perhaps'] : [coverage]
  expect(expected).toContain(found)
})

test('a command that is in doubt is covered perhaps at most', () => {
  expect(coverageOf('rm *', { words: words('rm x'), doubt: 'odd' })).toBe('perhaps')
  expect(coverageOf('rm *', { words: words('ls'), doubt: 'odd' })).toBe('no')
})

const piece = fc.constantFrom('git', 'rm', 'x', '', 'rmx', 'g')
const pattern = fc
  .array(fc.constantFrom('git', 'rm', 'x', ' ', '*', 'm', 'g'), { maxLength: 8 })
  .map(all => all.join(''))

test('without options and unknown text a pattern covers what the glob matches', () => {
  fc.assert(
    fc.property(pattern, fc.array(piece, { minLength: 1, maxLength: 5 }), (glob, all) => {
      const text = all.join(' ')
      const matches = matchesGlob(glob, text) || matchesGlob(glob, `${text} `)
      expect(coverageOf(glob, { words: all.map(each => [each]), doubt: null })).toBe(matches ? 'surely' : 'no')
    }),
    { numRuns: 2_000 },
  )
})

test('P1: text that the shell may put in never leads past a pattern unseen', () => {
  const unknown = fc.array(fc.array(piece, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(pattern, unknown, fc.array(piece, { minLength: 8, maxLength: 8 }), (glob, all, texts) => {
      const filled = all.map((pieces, at) => pieces.join(texts[at] ?? ''))
      if (!matchesGlob(glob, filled.join(' '))) return
      expect(coverageOf(glob, { words: all, doubt: null })).not.toBe('no')
    }),
    { numRuns: 2_000 },
  )
})
