import { expect, test } from 'vitest'
import { PATIENCE_MS, stuckRun } from '../../../core/advancing/stuck-run.ts'
import { standingOf } from './run-document.ts'

const RETRY_AT = '2030-01-01T00:05:00.000Z'
const AT = Date.parse(RETRY_AT)
const row = { exported: null, status: 'running', lease: null, retry_at: RETRY_AT } as const
const resting = { ...row, id: 'run_1', agent: 'a', updated_at: '2030-01-01T00:00:00.000Z', failure: null }

test.each([
  ['before the time at which its model is asked again', AT - 3_600_000, 'delayed'],
  ['at that time', AT, 'delayed'],
  ['shortly after it, until somebody takes the run up', AT + PATIENCE_MS - 1, 'delayed'],
  ['once somebody should have taken it up', AT + PATIENCE_MS, 'ready'],
] as const)('a run that waits for its provider, %s', (_, now, word) => {
  expect(standingOf(row, null, now)).toBe(word)
  // A store without any worker calls the run stuck from the moment on at which it is no longer delayed.
  expect(standingOf(row, stuckRun(resting, [], now), now)).toBe(word === 'ready' ? 'stuck' : word)
})

test('a run that was taken up, or moved away, does not wait for its provider', () => {
  expect(standingOf({ ...row, lease: { owner: 'elsewhere/1' }, retry_at: null }, null, AT)).toBe('running')
  const exported = { bundle_id: 'b', at: RETRY_AT, by: 'ana' } as never
  expect(standingOf({ ...row, exported }, null, AT)).toBe('exported')
})
