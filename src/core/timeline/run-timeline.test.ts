import { expect, test } from 'vitest'
import { aCall, aDecision, aJournal, anEvent, aProfile } from '../../testing/contracts/sample-journal.ts'
import type { JournalEvent } from '../journal/event.ts'
import { runTimeline } from './run-timeline.ts'

const FIRST = Date.parse('2030-01-01T00:00:00.000Z')

/** One event a minute. */
function minuteByMinute(events: Parameters<typeof aJournal>[0]): JournalEvent[] {
  return aJournal(events).map((event, minute) => ({ ...event, at: at(minute) }))
}

function at(minute: number): string {
  return new Date(FIRST + minute * 60_000).toISOString()
}

const STARTED = anEvent('run.started', { profile: aProfile() })

test('a run is drawn as what its model, its people and its tools took, each from when it began', () => {
  const events = minuteByMinute([
    STARTED,
    anEvent('message.received', { author: 'ana' }),
    anEvent('checkpoint.named', { reason: 'step' }),
    anEvent('step.started', { step: 1 }),
    anEvent('model.answered', { text: 'One thing.', calls: [aCall('call_1')] }),
    anEvent('hold.opened', { hold_id: 'hold_1', call_id: 'call_1' }),
    anEvent('checkpoint.named', { reason: 'pause' }),
    anEvent('hold.decided', { hold_id: 'hold_1', call_id: 'call_1', decision: aDecision('approve') }),
    anEvent('call.started', { call_id: 'call_1', attempt: 1 }),
    anEvent('call.finished', { call_id: 'call_1', status: 'succeeded' }),
  ])
  const timeline = runTimeline('run_1', events)
  expect(timeline?.spans).toMatchObject([
    { kind: 'model', step: 1, started_at: at(2), ended_at: at(4), called: ['work'] },
    {
      kind: 'wait',
      hold_id: 'hold_1',
      tool: 'work',
      title: 'work',
      started_at: at(5),
      ended_at: at(7),
      verdict: 'approve',
      by: 'ana',
    },
    { kind: 'call', tool: 'work', started_at: at(8), ended_at: at(9), status: 'succeeded' },
  ])
  expect(timeline).toMatchObject({ started_at: at(0), ended_at: null, messages: [{ at: at(1), author: 'ana' }] })
})

test('what is under way has no end yet, and a call that waits in the middle is two spans', () => {
  const events = minuteByMinute([
    STARTED,
    anEvent('model.answered', { calls: [aCall('call_1')] }),
    anEvent('call.started', { call_id: 'call_1', attempt: 1 }),
    anEvent('hold.opened', { hold_id: 'hold_1', call_id: 'call_1', kind: 'question' }),
    anEvent('hold.expired', { hold_id: 'hold_1', decision: aDecision('reject', { decided_by: 'holdpoint' }) }),
    anEvent('call.started', { call_id: 'call_1', attempt: 1 }),
  ])
  expect(runTimeline('run_1', events)?.spans.slice(1)).toMatchObject([
    { kind: 'call', started_at: at(2), ended_at: at(3), status: 'suspended' },
    { kind: 'wait', outcome: 'expired', ended_at: at(4) },
    { kind: 'call', started_at: at(5), ended_at: null, status: 'running' },
  ])
})

test('other runs of the thread are not in it, and a run that is not there has none', () => {
  const other = anEvent('model.answered', { text: 'Another run.' })
  const events = minuteByMinute([STARTED, { ...other, run_id: 'run_2' }])
  expect(runTimeline('run_1', events)?.spans).toEqual([])
  expect(runTimeline('run_2', events)).toBeNull()
})
