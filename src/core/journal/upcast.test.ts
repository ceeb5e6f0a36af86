import { expect, test } from 'vitest'
import { aDecision, aJournal, anEvent, aProfile, tokens } from '../../testing/contracts/sample-journal.ts'
import { type HoldKind, USUAL_RESUME_MODE } from '../hold/hold.ts'
import { signatureOf } from '../run/repetition.ts'
import { NO_COUNTERS } from '../run/stop-condition.ts'
import type { EventKind, NewEvent } from './event.ts'
import { fold } from './fold.ts'

/** The event as an older version wrote it: without what that one did not know yet. */
function older(event: NewEvent, ...unknown: readonly string[]): NewEvent {
  const data = Object.fromEntries(Object.entries(event.data).filter(([name]) => !unknown.includes(name)))
  return { ...event, data } as unknown as NewEvent
}

const {
  max_concurrent_calls: _,
  due: __,
  deciders: ___,
  groups: ____,
  approval_answers: _____,
  ...olderProfile
} = aProfile()
const carried = { run_id: 'run_0', steps: 3, usage: tokens(7) }
const carriedNow = { ...carried, counters: NO_COUNTERS }

const started = anEvent('run.started', { profile: aProfile({ max_concurrent_calls: 1 }), carried: carriedNow })
const olderStarted = older(
  anEvent('run.started', { profile: olderProfile as never, carried: carried as never }),
  'pinned',
)

const received = anEvent('message.received', { forced_by: null })
const answered = anEvent('model.answered', { forced_by: null })
const gated = anEvent('call.gated')
const named = anEvent('checkpoint.named', { active_ms: 0, reason: 'pause' })

function opened(kind: HoldKind): NewEvent {
  const about = kind === 'input' ? { call_id: null, status: null } : {}
  const plugin = kind === 'approval' ? 'policy' : null
  return anEvent('hold.opened', { kind, ...about, plugin, resume_mode: USUAL_RESUME_MODE[kind] })
}

/** Each with what came before it, as it is written today. */
const KINDS: readonly (readonly [kind: EventKind, before: readonly NewEvent[], then: NewEvent, now: NewEvent])[] = [
  ['run.started', [], olderStarted, started],
  ['message.received', [started], older(received, 'forced_by'), received],
  ['model.answered', [started, anEvent('step.started')], older(answered, 'forced_by'), answered],
  ['call.gated', [started, anEvent('step.started'), answered], older(gated, 'grant_id', 'approval_id'), gated],
  ['checkpoint.named', [started], older(named, 'active_ms'), named],
]

test.each(KINDS)('%s of an older version means what its writer meant', (_kind, before, then, now) => {
  expect(then.data).not.toEqual(now.data)
  expect(fold('th_1', aJournal([...before, then]))).toStrictEqual(fold('th_1', aJournal([...before, now])))
})

test.each(Object.keys(USUAL_RESUME_MODE) as HoldKind[])(
  'a hold of kind %s of an older version resumes its call as it did then',
  kind => {
    const before = [started, ...(kind === 'input' ? [] : [anEvent('step.started'), answered])]
    const then = older(opened(kind), 'plugin', 'resume_mode')
    expect(then.data).not.toEqual(opened(kind).data)
    expect(fold('th_1', aJournal([...before, then]))).toStrictEqual(fold('th_1', aJournal([...before, opened(kind)])))
  },
)

test('a run that an older version began alone brings nothing along', () => {
  const then = older(anEvent('run.started', { carried: null }), 'pinned')
  expect(fold('th_1', aJournal([then])).run).toMatchObject({ steps: 0, pinned: null, counters: NO_COUNTERS })
})

test('a whole life that an older version wrote gives the state that it gives today', () => {
  const life = (version: (event: NewEvent, ...unknown: readonly string[]) => NewEvent, first: NewEvent) => [
    first,
    version(received, 'forced_by'),
    anEvent('step.started'),
    version(answered, 'forced_by'),
    version(opened('approval'), 'plugin', 'resume_mode'),
    version(named, 'active_ms'),
    anEvent('hold.decided', { decision: aDecision('edit') }),
    anEvent('call.started'),
    anEvent('call.finished'),
    anEvent('step.ended'),
    anEvent('step.started', { step: 2 }),
    version(anEvent('model.answered', { text: 'Done.', calls: [], forced_by: null }), 'forced_by'),
    anEvent('step.ended', { step: 2 }),
    version(anEvent('checkpoint.named', { checkpoint_id: 'cp_2', reason: 'end', active_ms: 0 }), 'active_ms'),
    anEvent('run.finished'),
  ]
  const then = fold('th_1', aJournal(life(older, olderStarted)))
  expect(then).toStrictEqual(fold('th_1', aJournal(life(event => event, started))))
  expect(then.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
})

test('a decision of an older version allows nothing beyond itself', () => {
  const { grant: _grant, ...said } = aDecision('approve')
  const before = [started, anEvent('step.started'), answered, opened('approval')]
  const now = anEvent('hold.decided', { decision: aDecision('approve') })
  const then = anEvent('hold.decided', { decision: said as never })
  expect(fold('th_1', aJournal([...before, then]))).toStrictEqual(fold('th_1', aJournal([...before, now])))
})

test('a run that an older version began gives people no time that is ever over', () => {
  const { run } = fold('th_1', aJournal([olderStarted]))
  expect(run?.profile).toMatchObject({
    due: { seconds: null },
    deciders: null,
    groups: {},
    approval_answers: 'tolerant',
  })
})

test('a streak of equal calls that an older version carried on goes on', () => {
  const counters = { active_ms: 5, errors_in_row: 1, same_call: 'work {}', same_in_row: 2 }
  const older = anEvent('run.started', { profile: aProfile(), carried: { ...carried, counters } as never })
  const { run } = fold('th_1', aJournal([older]))
  const signature = signatureOf({ name: 'work', arguments: {} })
  expect(run?.counters).toEqual({
    ...NO_COUNTERS,
    active_ms: 5,
    errors_in_row: 1,
    recent_calls: [signature, signature],
  })
})
