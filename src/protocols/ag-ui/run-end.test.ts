import { expect, test } from 'vitest'
import { NO_CALLS } from '../../core/run/warnings/counted-calls.ts'
import { warningEvents } from './run-end.ts'

test('an answer in which calls were refused tells so before its end, and another one tells nothing', () => {
  const run = {
    refused: NO_CALLS,
    observed: NO_CALLS,
    repairs: [],
    switches: [],
    unsummarized: null,
    left_out: new Map(),
    warned: new Map(),
    profile: { stop: [] },
  }
  expect(warningEvents(run)).toEqual([])
  expect(warningEvents({ ...run, refused: { calls: 1, rules: ['default: never'] } })).toMatchObject([
    {
      type: 'CUSTOM',
      name: 'holdpoint.warnings',
      value: [{ code: 'calls_refused', calls: 1, rules: ['default: never'] }],
    },
  ])
})
