import { expect, test } from 'vitest'
import { type AdvanceFailure, maybeStuck, PATIENCE_MS, type RestingRun, stuckRun } from './stuck-run.ts'

const NOW = Date.parse('2030-01-01T00:10:00.000Z')
const at = (ms: number) => new Date(NOW - ms).toISOString()

function ready(fields: Partial<RestingRun> = {}): RestingRun {
  const usual = {
    id: 'run_1',
    agent: 'deployer',
    status: 'running',
    exported: null,
    failure: null,
    retry_at: null,
  } as const
  return { ...usual, updated_at: at(PATIENCE_MS), ...fields }
}

function failed(code: string, before = 0): AdvanceFailure {
  return { code, message: 'It cannot go on.', hint: 'Mend it.', at: at(before) }
}

const DEPLOYER = { agents: ['default', 'deployer'] }
const OTHER = { agents: ['default'] }

test('a run that is ready for a minute is stuck if no process works', () => {
  expect(stuckRun(ready(), [], NOW)).toMatchObject({ code: 'no_worker' })
  expect(stuckRun(ready({ updated_at: at(PATIENCE_MS - 1) }), [], NOW), 'too early').toBeNull()
  expect(stuckRun(ready({ retry_at: at(0) }), [], NOW), 'its model is asked again only now').toBeNull()
  expect(stuckRun(ready(), [OTHER], NOW), 'a worker may load its agent').toBeNull()
  expect(stuckRun(ready({ status: 'waiting' }), [], NOW), 'it waits for a person').toBeNull()
  expect(stuckRun(ready({ status: 'done' }), [], NOW)).toBeNull()
})

test('a failure that a person must mend makes it stuck at once, with its reason and its way out', () => {
  const run = ready({ updated_at: at(10), failure: failed('missing_api_key') })
  expect(stuckRun(run, [DEPLOYER], NOW)).toEqual({
    ...{ code: 'missing_api_key', message: 'It cannot go on.', hint: 'Mend it.' },
  })
})

test('a failure that time may mend does not, and neither does one from before the run moved on', () => {
  expect(stuckRun(ready({ failure: failed('mcp_server_unavailable') }), [DEPLOYER], NOW)).toBeNull()
  const moved = ready({ updated_at: at(10), failure: failed('no_model', 11) })
  expect(maybeStuck(moved, NOW)).toBe(false)
})

test('an agent that one worker does not know is no trouble while another one knows it', () => {
  const run = ready({ failure: failed('unknown_agent') })
  expect(stuckRun(run, [OTHER, DEPLOYER], NOW)).toBeNull()
  expect(stuckRun(run, [OTHER], NOW)?.message).toBe('No running process knows the agent deployer.')
  expect(stuckRun(run, [], NOW)?.code).toBe('unknown_agent')
})
