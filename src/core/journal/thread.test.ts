import { describe, expect, test } from 'vitest'
import { aCall, aJournal, anEvent, aProfile } from '../../testing/contracts/sample-journal.ts'
import type { HoldScope } from '../run/profile.ts'
import { type CallStatus, MAY_BECOME, type StepStatus, stepStatus } from '../run/tool-call.ts'
import type { NewEvent } from './event.ts'
import { fold } from './fold.ts'
import { type Move, nextMove } from './next-move.ts'
import { type RunStatus, runStatus } from './thread.ts'

/** One moment of a timeline: what happened since the one before, and what is to be seen then. */
interface Moment {
  readonly when: string
  readonly events: readonly NewEvent[]
  /** Of calls A, B and C. */
  readonly calls: readonly [CallStatus, CallStatus, CallStatus]
  readonly step: StepStatus
  readonly run: RunStatus
  /** What whoever advances the run does next, with the calls that are running under way. */
  readonly move: readonly [type: Move['type'], ...calls: readonly string[]]
}

const held = (call_id: string) => anEvent('hold.opened', { call_id, hold_id: `hold_${call_id}` })
const decided = (call_id: string) => anEvent('hold.decided', { call_id, hold_id: `hold_${call_id}` })
const started = (call_id: string) => anEvent('call.started', { call_id })
const succeeded = (call_id: string) => anEvent('call.finished', { call_id })

function begun(hold_scope: HoldScope, max_concurrent_calls: number): NewEvent[] {
  return [
    anEvent('run.started', { profile: aProfile({ hold_scope, max_concurrent_calls }) }),
    anEvent('step.started'),
    anEvent('model.answered', { calls: [aCall('A'), aCall('B'), aCall('C')] }),
    held('A'),
    held('B'),
    anEvent('call.gated', { call_id: 'C' }),
  ]
}

// biome-ignore format: a table
const CALL: readonly Moment[] = [
  { when: 'all is gated', events: begun('call', 8), calls: ['suspended', 'suspended', 'new'], step: 'running', run: 'running', move: ['start', 'C'] },
  { when: 'C runs', events: [started('C')], calls: ['suspended', 'suspended', 'running'], step: 'running', run: 'running', move: ['attend'] },
  { when: 'A is decided', events: [decided('A')], calls: ['resuming', 'suspended', 'running'], step: 'running', run: 'running', move: ['start', 'A'] },
  { when: 'A runs', events: [started('A')], calls: ['running', 'suspended', 'running'], step: 'running', run: 'running', move: ['attend'] },
  { when: 'A has succeeded', events: [succeeded('A')], calls: ['succeeded', 'suspended', 'running'], step: 'running', run: 'running', move: ['attend'] },
  { when: 'C has succeeded', events: [succeeded('C')], calls: ['succeeded', 'suspended', 'succeeded'], step: 'waiting', run: 'waiting', move: ['wait'] },
  { when: 'B is decided', events: [decided('B')], calls: ['succeeded', 'resuming', 'succeeded'], step: 'running', run: 'running', move: ['start', 'B'] },
  { when: 'B runs', events: [started('B')], calls: ['succeeded', 'running', 'succeeded'], step: 'running', run: 'running', move: ['attend'] },
  { when: 'B has succeeded', events: [succeeded('B')], calls: ['succeeded', 'succeeded', 'succeeded'], step: 'complete', run: 'running', move: ['end_step'] },
]

// biome-ignore format: a table
const BATCH: readonly Moment[] = [
  { when: 'all is gated', events: begun('batch', 1), calls: ['suspended', 'suspended', 'new'], step: 'running', run: 'waiting', move: ['wait'] },
  { when: 'A is decided', events: [decided('A')], calls: ['resuming', 'suspended', 'new'], step: 'running', run: 'waiting', move: ['wait'] },
  { when: 'B is decided', events: [decided('B')], calls: ['resuming', 'resuming', 'new'], step: 'running', run: 'running', move: ['start', 'A'] },
  { when: 'A runs', events: [started('A')], calls: ['running', 'resuming', 'new'], step: 'running', run: 'running', move: ['attend'] },
  { when: 'A has succeeded', events: [succeeded('A')], calls: ['succeeded', 'resuming', 'new'], step: 'running', run: 'running', move: ['start', 'B'] },
  { when: 'B runs', events: [started('B')], calls: ['succeeded', 'running', 'new'], step: 'running', run: 'running', move: ['attend'] },
  { when: 'B has succeeded', events: [succeeded('B')], calls: ['succeeded', 'succeeded', 'new'], step: 'running', run: 'running', move: ['start', 'C'] },
  { when: 'C runs', events: [started('C')], calls: ['succeeded', 'succeeded', 'running'], step: 'running', run: 'running', move: ['attend'] },
  { when: 'C has succeeded', events: [succeeded('C')], calls: ['succeeded', 'succeeded', 'succeeded'], step: 'complete', run: 'running', move: ['end_step'] },
]

/** What can be seen at each moment, read from the journal up to there. */
function seen(timeline: readonly Moment[]) {
  return timeline.map(({ when }, index) => {
    const { run } = fold('th_1', aJournal(timeline.slice(0, index + 1).flatMap(({ events }) => events)))
    const calls = [...(run?.step?.calls.values() ?? [])]
    const underway = new Set(calls.filter(({ status }) => status === 'running').map(({ id }) => id))
    const move = nextMove(run!, { underway, active_ms: 0 })
    return {
      when,
      calls: calls.map(({ status }) => status),
      step: stepStatus(calls),
      run: runStatus(run!),
      move: [move.type, ...('calls' in move ? move.calls.map(({ id }) => id) : [])],
    }
  })
}

const expected = (timeline: readonly Moment[]) => timeline.map(({ events, ...moment }) => moment)

test('with hold scope call a run goes through the reference timeline of the lifecycle', () => {
  expect(seen(CALL)).toEqual(expected(CALL))
})

test('with hold scope batch nothing of the timeline begins before its last decision', () => {
  expect(seen(BATCH)).toEqual(expected(BATCH))
})

test.each([
  ['call', CALL],
  ['batch', BATCH],
] as const)('with hold scope %s the step after the timeline begins with another answer', (_scope, timeline) => {
  const events = [...timeline.flatMap(moment => moment.events), anEvent('step.ended')]
  const { run, messages } = fold('th_1', aJournal(events))
  expect(run).toMatchObject({ step: null, concluding: false })
  expect(nextMove(run!, { underway: new Set(), active_ms: 0 })).toEqual({ type: 'infer' })
  expect(messages.flatMap(message => (message.role === 'tool' ? [message.tool_call_id] : []))).toEqual(['A', 'B', 'C'])
})

describe('the status of a step', () => {
  const STATUSES = Object.keys(MAY_BECOME) as CallStatus[]
  const pairs = STATUSES.flatMap(one => STATUSES.map(other => ({ one, other })))
  const moves: readonly CallStatus[] = ['new', 'running', 'resuming']

  test.each(pairs)(
    'of a call that is $one and one that is $other is what the table of step statuses says',
    ({ one, other }) => {
      const both = [one, other]
      const expected = both.some(status => moves.includes(status))
        ? 'running'
        : both.includes('suspended')
          ? 'waiting'
          : 'complete'
      expect(stepStatus(both.map(status => ({ status })))).toBe(expected)
    },
  )

  test('without calls is complete', () => {
    expect(stepStatus([])).toBe('complete')
  })
})

describe('a run with an open hold', () => {
  const waiting = BATCH[0]!.events
  const statusAfter = (...more: readonly NewEvent[]) => {
    const { run } = fold('th_1', aJournal([...waiting, ...more]))
    return runStatus(run!)
  }

  test('waits', () => {
    expect(statusAfter()).toBe('waiting')
  })

  test('is running once somebody cancelled it, for it is to be ended', () => {
    expect(statusAfter(anEvent('cancel.requested'))).toBe('running')
  })

  test('is running once its end is certain, for nobody is waited for any more', () => {
    expect(statusAfter(anEvent('run.ending'))).toBe('running')
  })

  test('is running once all of them are withdrawn, for its calls are to be closed', () => {
    const withdrawn = ['A', 'B'].map(call_id => anEvent('hold.withdrawn', { call_id, hold_id: `hold_${call_id}` }))
    expect(statusAfter(...withdrawn.slice(1))).toBe('waiting')
    expect(statusAfter(...withdrawn)).toBe('running')
  })
})

test('a batch of which one call was cut off is running although another one is held', () => {
  const { run } = fold(
    'th_1',
    aJournal([
      anEvent('run.started'),
      anEvent('step.started'),
      anEvent('model.answered', { calls: [aCall('A'), aCall('B')] }),
      ...['A', 'B'].map(call_id => anEvent('call.gated', { call_id })),
      ...['A', 'B'].map(started),
      held('A'),
    ]),
  )
  expect(runStatus(run!)).toBe('running')
})
