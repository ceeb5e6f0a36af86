import { expect, test } from 'vitest'
import { matchesPath } from './matches-path.ts'

test.each([
  ['*.ts', 'a.ts', true],
  ['*.ts', 'src/a.ts', true],
  ['src/*.ts', 'src/a.ts', true],
  ['src/*.ts', 'src/deep/a.ts', false],
  ['./src/*.ts', 'src/a.ts', true],
  ['/a.ts', 'src/a.ts', false],
  ['**/*.ts', 'a.ts', true],
  ['**/*.ts', 'x/y/a.ts', true],
  ['src/**', 'src/x/y', true],
  ['src/**', 'other/x', false],
  ['**/**/a', 'a', true],
  ['a/**/b', 'a/b', true],
  ['a/**/b', 'a/x/y/b', true],
  ['a/**/b', 'a/x', false],
  ['*.{ts,tsx}', 'a.tsx', true],
  ['{a,b}/{c,d}', 'b/c', true],
  ['{a,b}/{c,d}', 'b/x', false],
  ['a.b', 'aXb', false],
  ['[x]', '[x]', true],
])('%s on %s is %s', (pattern, path, expected) => {
  expect(matchesPath(pattern, path)).toBe(expected)
})

test('no pattern takes long', () => {
  const began = process.threadCpuUsage()
  expect(matchesPath(`${'*a'.repeat(100)}b`, 'a'.repeat(250))).toBe(false)
  expect(matchesPath(`${'**/a/'.repeat(12)}b`, 'a/'.repeat(24))).toBe(false)
  expect(matchesPath('{a,b}'.repeat(50), 'a'.repeat(50))).toBe(false)
  expect(process.threadCpuUsage(began).user).toBeLessThan(1_000_000)
})
