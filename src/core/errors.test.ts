import { expect, test } from 'vitest'
import { LeaseLostError, ModelError, RefusedError } from './errors.ts'

test('a refusal in JSON tells what happened and what to do, and keeps its cause to itself', () => {
  const error = new RefusedError('not_allowed', 'You may not.', {
    hint: 'Ask ana.',
    details: { deciders: ['ana'] },
    cause: new Error('a secret'),
  })
  expect(JSON.parse(JSON.stringify({ outcome: 'refused', error }))).toEqual({
    outcome: 'refused',
    error: { code: 'not_allowed', message: 'You may not.', hint: 'Ask ana.', details: { deciders: ['ana'] } },
  })
})

test.each([
  ['lease_lost', new LeaseLostError('run_1')],
  ['rate_limited', new ModelError('rate_limited', 'Too many.', { retryable: true })],
])('an error of another class has the same form: %s', (code, error) => {
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code, message: error.message, details: {} })
})
