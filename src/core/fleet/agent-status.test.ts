import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TASK_STATUSES } from '../task/task.ts'
import { AGENT_STATUSES, type AgentFacts, type AgentStatus, agentRest, agentStanding } from './agent-status.ts'

const RUNNING: AgentFacts = {
  task: { status: 'running', cancel_requested_by: null, isSupervised: true, isInteractive: true, error: null },
  run: { status: 'running', ended: null, isLeased: true, retry_at: null },
  holds: { asks: 0, isTextPause: false },
  gone_host: null,
  presence: { last_error: null },
}
const task = (changes: Partial<AgentFacts['task']>) => ({ ...RUNNING.task, ...changes })
const PAUSED: Partial<AgentFacts> = {
  run: { status: 'waiting', ended: null, isLeased: false, retry_at: null },
  holds: { asks: 0, isTextPause: true },
}
const over = (ended: string) => ({ status: 'done', ended, isLeased: false, retry_at: null }) as const
const GONE = { name: 'web1', seen_at: '2030-01-01T00:00:00.000Z' }
const busy = { code: 'overloaded', message: 'The model is busy.' }

const CASES: readonly (readonly [status: AgentStatus, when: string, facts: Partial<AgentFacts>])[] = [
  ['queued', 'no supervisor was started', { task: task({ status: 'pending', isSupervised: false }), presence: null }],
  ['spawning', 'its supervisor was started', { task: task({ status: 'pending' }), presence: null }],
  ['spawning', 'its endpoint is not there yet', { run: { ...over('x'), status: 'running' }, presence: null }],
  ['running', 'its run is advanced', {}],
  ['running', 'a worker advances the run of a paused task', { task: task({ status: 'paused' }), presence: null }],
  ['waiting', 'a hold is open, and its process is there', { ...PAUSED, holds: { asks: 1, isTextPause: false } }],
  [
    'waiting',
    'a hold is open, and its process is gone',
    { ...PAUSED, holds: { asks: 2, isTextPause: true }, task: task({ status: 'paused' }), presence: null },
  ],
  ['idle', 'it waits for a message, and its process is there', PAUSED],
  ['idle', 'its last turn failed, and its process is there', { run: over('error'), presence: { last_error: busy } }],
  [
    'parked',
    'it waits for a message, and its process is gone',
    { ...PAUSED, task: task({ status: 'paused' }), presence: null },
  ],
  ['killing', 'a cancel is wished, and its process is there', { task: task({ cancel_requested_by: 'ana' }) }],
  ['killed', 'it was cancelled', { task: task({ status: 'cancelled' }), run: over('cancelled'), presence: null }],
  ['killed', 'its run was cancelled elsewhere', { task: task({ status: 'failed' }), run: over('cancelled') }],
  ['done', 'it came to its end', { task: task({ status: 'completed' }), run: over('natural_end'), presence: null }],
  [
    'done',
    'it was stopped by a condition that completes it',
    { task: task({ status: 'completed' }), run: over('stopped') },
  ],
  ['failed', 'its run failed', { task: task({ status: 'failed' }), run: over('error'), presence: null }],
  ['failed', 'its time was over', { task: task({ status: 'timed_out' }), presence: null }],
  [
    'crashed',
    'its process was lost',
    {
      task: task({ status: 'failed' }),
      run: { status: 'running', ended: null, isLeased: false, retry_at: null },
      presence: null,
    },
  ],
  ['unreachable', 'its process was on a host that is gone', { gone_host: GONE }],
  ['unreachable', 'it was to be ended there', { task: task({ cancel_requested_by: 'ana' }), gone_host: GONE }],
  ['unreachable', 'its next process is to start there', { task: task({ status: 'paused' }), gone_host: GONE }],
  [
    'waiting',
    'a hold is open, and its host is gone',
    { ...PAUSED, holds: { asks: 1, isTextPause: false }, gone_host: GONE },
  ],
  ['parked', 'its host is gone', { ...PAUSED, task: task({ status: 'paused' }), presence: null, gone_host: GONE }],
  ['done', 'it came to its end there', { task: task({ status: 'completed' }), run: over('x'), gone_host: GONE }],
  ['failed', 'its run was pruned', { task: task({ status: 'failed' }), run: null, presence: null }],
]

test.each(CASES)('an agent is %s if %s', (status, _when, facts) => {
  expect(agentStanding({ ...RUNNING, ...facts })).toMatchObject({ status })
})

test('each status has a case, so none is out of reach', () => {
  expect(new Set(CASES.map(([status]) => status))).toEqual(new Set(AGENT_STATUSES))
})

test('rows of any state have a status with a reason, and an open ask is never told as idle or parked', () => {
  const error = fc.constantFrom(null, busy)
  const facts: fc.Arbitrary<AgentFacts> = fc.record({
    task: fc.record({
      status: fc.constantFrom(...TASK_STATUSES),
      cancel_requested_by: fc.constantFrom(null, 'ana'),
      isSupervised: fc.boolean(),
      isInteractive: fc.boolean(),
      error,
    }),
    run: fc.option(
      fc.record({
        status: fc.constantFrom('running', 'waiting', 'done'),
        ended: fc.constantFrom(null, 'natural_end', 'error', 'cancelled', 'stopped', 'of a later version'),
        isLeased: fc.boolean(),
        retry_at: fc.constantFrom(null, '2030-01-01T00:00:00.000Z'),
      }),
    ),
    holds: fc.record({ asks: fc.nat(2), isTextPause: fc.boolean() }),
    gone_host: fc.constantFrom(null, GONE),
    presence: fc.option(fc.record({ last_error: error })),
  })
  fc.assert(
    fc.property(facts, each => {
      const { status, because } = agentStanding(each)
      expect(AGENT_STATUSES).toContain(status)
      expect(because).not.toBe('')
      if (each.run?.status === 'waiting' && each.holds.asks > 0) expect(['idle', 'parked']).not.toContain(status)
    }),
  )
})

test('an agent that is out of reach rests for a waiter only once that has stood for two beats', () => {
  let now = 0
  const rests = agentRest({ steady: () => now })
  const at = (ms: number, status: 'unreachable' | 'running' | 'idle') => {
    now = ms
    return rests(status)
  }
  expect([at(0, 'unreachable'), at(19_999, 'unreachable'), at(20_000, 'unreachable')]).toEqual([false, false, true])
  expect([at(30_000, 'running'), at(31_000, 'unreachable'), at(50_000, 'unreachable')]).toEqual([false, false, false])
  expect([at(51_000, 'unreachable'), at(52_000, 'idle')]).toEqual([true, true])
})
