import { expect, test } from 'vitest'
import { callOutcome, outcomeText } from './call-outcome.ts'

const FAILED: readonly (readonly [command: string, exit: number])[] = [
  ['git push origin main', 1],
  ['npm test', 1],
  ['grep x missing.txt', 2],
  ['grep -q x a.txt && false', 1],
  ['diff a b; exit 1', 1],
  ['echo "| grep"', 1],
  ["sh -c 'x' \\| grep", 1],
  ['git diff', 1],
  ['cat a | wc -l', 1],
  ['greppy', 1],
  ['git push && grep -q ok log', 1],
  ['git push # | grep', 1],
  ['set -e; git push; grep x a.txt', 1],
  ['set -o pipefail; git push | grep x', 1],
  ['git push <<< x | grep', 1],
]

test.each(FAILED)('%s with exit %i has failed', (command, exit_code) => {
  expect(callOutcome({ exit_code, signal: null, stdout: '' }, { command })).toEqual({
    exit_code,
    signal: null,
    failed: true,
  })
})

test.each([
  'grep x a.txt',
  'cat a.txt | grep -c "a|b; c"',
  'cd sub && /usr/bin/grep x a.txt',
  'LC_ALL=C fgrep x a.txt',
  '! rg x',
  'diff a b',
  'cmp a b',
  'test -f a.txt',
  '[ -f a.txt ]',
  'git diff --quiet',
  'git diff HEAD --exit-code src',
  'which pnpm',
])('the exit code of 1 of %s is an answer', command => {
  expect(callOutcome({ exit_code: 1, signal: null }, { command })).toMatchObject({ exit_code: 1, failed: false })
})

test('a signal has ended a program, and other results are of no program', () => {
  expect(callOutcome({ exit_code: null, signal: 'SIGTERM' }, { command: 'sleep 9' })).toEqual({
    exit_code: null,
    signal: 'SIGTERM',
    failed: true,
  })
  for (const output of [null, 'exit_code: 1', { code: 1 }, { exit_code: '1' }, [1]])
    expect(callOutcome(output, null)).toBeNull()
})

test('an outcome in words', () => {
  expect(outcomeText({ exit_code: 2, signal: null })).toBe('exit 2')
  expect(outcomeText({ exit_code: 0, signal: null })).toBe('')
  expect(outcomeText({ exit_code: null, signal: 'SIGKILL' })).toBe('SIGKILL')
})
