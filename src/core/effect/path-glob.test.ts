import { expect, test } from 'vitest'
import { pathGlobs } from './path-glob.ts'

const CASES: readonly [pattern: string, covered: readonly string[], others: readonly string[]][] = [
  ['.env*', ['.env', '.env.local', 'a/b/.env', '.envrc/x'], ['env', 'a/b.env', 'x.envy']],
  ['src/**', ['src/a.ts', 'src/a/b/c.ts', 'src/.x'], ['src', 'a/src/b', 'srcs/a']],
  ['/dist', ['dist', 'dist/a'], ['a/dist', 'dist2']],
  ['dist', ['dist', 'a/dist', 'a/dist/b'], ['dist2', 'adist']],
  ['dist/', ['dist', 'dist/a'], ['distant']],
  ['**/x.ts', ['x.ts', 'a/x.ts', 'a/b/x.ts'], ['ax.ts', 'x.tsx']],
  ['a/*/b', ['a/x/b', 'a/x/b/c'], ['a/b', 'a/x/y/b']],
  ['*.p?m', ['a.pem', 'k/b.pim'], ['a.pm', 'a.p/m']],
  ['[a-c].ts', ['a.ts', 'c.ts'], ['d.ts', '/.ts']],
  ['[!a].ts', ['b.ts'], ['a.ts']],
  ['a+b(c).$', ['a+b(c).$', 'x/a+b(c).$'], ['aab(c).$', 'a+b(c)x$']],
  [String.raw`\*`, ['*'], ['a']],
  ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['ab', 'x/a/b']],
  ['line\nbreak', ['line\nbreak'], ['line', 'break']],
]

test.each(CASES)('%s covers what .gitignore would cover', (pattern, covered, others) => {
  const globs = pathGlobs([pattern])
  expect(covered.filter(path => !globs.matches(path))).toEqual([])
  expect(others.filter(path => globs.matches(path))).toEqual([])
})

test('the last pattern that covers a path decides', () => {
  const globs = pathGlobs(['.env*', '!.env.example'])
  expect(['.env', '.env.example', 'a/.env.example', '.env.prod'].map(globs.matches)).toEqual([true, false, false, true])
})

test('no patterns cover nothing', () => {
  expect(pathGlobs([]).matches('a')).toBe(false)
})
