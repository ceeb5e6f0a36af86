import { expect, test } from 'vitest'
import { COMMAND_WORDS } from '../hosts/outcome/resume-hint.ts'
import { LeaseLostError, ModelError, RefusedError } from './errors.ts'
import { PLAIN_WORDS } from './next-action.ts'
import { TOOL_WORDS } from './tool-words.ts'

test('a refusal in JSON tells what happened and what to do, and keeps its cause to itself', () => {
  const error = new RefusedError('not_a_decider', 'You may not.', {
    hint: 'Ask ana.',
    details: { deciders: ['ana'] },
    cause: new Error('a secret'),
  })
  expect(JSON.parse(JSON.stringify({ outcome: 'refused', error }))).toEqual({
    outcome: 'refused',
    error: { code: 'not_a_decider', message: 'You may not.', hint: 'Ask ana.', details: { deciders: ['ana'] } },
  })
})

test.each([
  ['lease_lost', new LeaseLostError('run_1')],
  ['rate_limited', new ModelError('rate_limited', 'Too many.', { retryable: true })],
])('an error of another class has the same form: %s', (code, error) => {
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code, message: error.message, details: {} })
})

test('the next action is told in the words of each host, behind what holds everywhere', () => {
  const error = new RefusedError('hold_decided', 'It is decided.', {
    hint: 'Nothing was changed.',
    action: { do: 'look_at_hold', id: 'hold_1' },
  })
  expect(error.hint).toBe('Nothing was changed. Look at hold_1 to see how it went.')
  expect(error.hintIn(COMMAND_WORDS)).toBe('Nothing was changed. See how it went with `holdpoint show hold_1`.')
  expect(new RefusedError('busy', 'Not now.').hintIn(COMMAND_WORDS)).toBeNull()
})

test('the hints for agents and for clients of MCP name no command and no flag of one', () => {
  for (const [action, words] of Object.entries(TOOL_WORDS)) {
    expect(words('x_1'), action).not.toMatch(/`holdpoint| --?[a-z]/)
    expect(PLAIN_WORDS[action as keyof typeof PLAIN_WORDS]('x_1'), action).not.toMatch(/`holdpoint| --?[a-z]/)
  }
})
