import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../core/text/json.ts'
import { callText, endText, isFailure } from './activity.ts'

test.each<[JsonObject | string, string]>([
  [{ command: 'npm test' }, 'run  npm test'],
  [{ command: 'npm test', timeout_seconds: 5 }, 'run  command: "npm test", timeout_seconds: 5'],
  [{ path: { deep: [1] } }, 'run  {"deep":[1]}'],
  [{}, 'run'],
  ['{broken', 'run  {broken'],
  [{ command: 'a\nb\u001b[2J\u202e' }, 'run  a\\nb\\u{1b}[2J\\u{202e}'],
])('a call with %j is %j', (args, text) => {
  expect(callText({ id: 'tc_1', name: 'run', arguments: args })).toBe(text)
})

test.each<[Json, string, boolean]>([
  [{ exit_code: 0, signal: null, stdout: 'x' }, '', false],
  [{ exit_code: 3, signal: null }, 'exit 3', true],
  [{ exit_code: null, signal: 'SIGKILL' }, 'SIGKILL', true],
  ['west', 'west', false],
  ['a\nb\nc\n', '3 lines', false],
  ['x'.repeat(2000), '2,000 characters', false],
  [[1, 2], '', false],
  [null, '', false],
])('the result %j is %j in short', (output, text, failure) => {
  const end = { status: 'succeeded', output, error: null } as const
  expect([endText(end), isFailure(end, '')]).toEqual([text, failure])
})

test('a failure is told with its code, and nothing in it is hidden', () => {
  const error = { code: 'DENIED', message: 'no\u001b[2J' }
  expect(endText({ status: 'failed', output: null, error })).toBe('DENIED: no\\u{1b}[2J')
})
