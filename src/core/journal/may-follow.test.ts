import { expect, test } from 'vitest'
import { aJournal, anEvent, EVENT_KINDS } from '../../testing/contracts/sample-journal.ts'
import type { EventKind, NewEvent } from './event.ts'
import { apply, emptyThread } from './fold.ts'
import { type RunStatus, runStatus, type Thread } from './thread.ts'

interface Situation {
  readonly events: readonly NewEvent[]
  readonly status: RunStatus | null
  /** Whatever is not listed is refused. */
  readonly may: readonly EventKind[]
}

const begun = [anEvent('run.started'), anEvent('message.queued')]
const inStep = [...begun, anEvent('step.started'), anEvent('model.answered')]
const cutOff = [
  ...begun,
  anEvent('step.started'),
  anEvent('model.answered', { text: 'Half', calls: [], unfinished: 'length' }),
]
const held = [...inStep, anEvent('hold.opened')]
const asked = [...begun, anEvent('hold.opened', { kind: 'input', call_id: null, status: null })]
const over = [...begun, anEvent('run.finished')]

/** What may come at any time until the run is over, from whoever advances it or from somebody else. */
const ALWAYS: readonly EventKind[] = [
  'run.configured',
  'message.queued',
  'cancel.requested',
  'compaction.requested',
  'plugin.set',
  'checkpoint.named',
  'note',
]

/** What may be said of a hold, or happen to it, while it is open. */
const WHILE_OPEN: readonly EventKind[] = [
  'hold.decided',
  'hold.voted',
  'hold.unclear',
  'hold.assigned',
  'hold.reminded',
  'hold.escalated',
  'hold.expired',
  'hold.withdrawn',
]

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'before any run': { events: [], status: null, may: ['thread.forked', 'run.started'] },
  'behind the origin of a fork': {
    events: [anEvent('thread.forked')],
    status: null,
    may: ['thread.forked', 'run.started'],
  },
  'between two steps': {
    events: begun,
    status: 'running',
    may: [
      ...ALWAYS,
      'message.received',
      'message.delivered',
      'model.unavailable',
      'model.switched',
      'context.repaired',
      'phase.passed',
      'step.started',
      'model.answered',
      'run.ending',
      'run.finished',
    ],
  },
  'in a step': {
    events: inStep,
    status: 'running',
    may: [...ALWAYS, 'phase.passed', 'call.gated', 'call.finished', 'hold.opened', 'run.ending'],
  },
  'once a call is let pass': {
    events: [...inStep, anEvent('call.gated')],
    status: 'running',
    may: [...ALWAYS, 'phase.passed', 'call.gated', 'call.started', 'call.finished', 'hold.opened', 'run.ending'],
  },
  'while a call is held': {
    events: held,
    status: 'waiting',
    may: [...ALWAYS, ...WHILE_OPEN, 'phase.passed', 'run.ending'],
  },
  'once the hold is decided': {
    events: [...held, anEvent('hold.decided')],
    status: 'running',
    may: [...ALWAYS, 'phase.passed', 'call.started', 'call.finished', 'run.ending'],
  },
  'once the hold has expired': {
    events: [...held, anEvent('hold.expired')],
    status: 'running',
    may: [...ALWAYS, 'phase.passed', 'call.finished', 'run.ending'],
  },
  'once the hold is withdrawn': {
    events: [...held, anEvent('hold.withdrawn')],
    status: 'running',
    may: [...ALWAYS, 'phase.passed', 'run.ending'],
  },
  'once its calls are final': {
    events: [...inStep, anEvent('call.finished')],
    status: 'running',
    may: [...ALWAYS, 'phase.passed', 'call.finished', 'step.ended', 'run.ending'],
  },
  'once an answer that does not count is over': {
    events: [...cutOff, anEvent('step.ended')],
    status: 'running',
    may: [
      ...ALWAYS,
      ...['message.received', 'message.delivered', 'phase.passed', 'step.started', 'model.answered'],
      ...['answer.asked_again', 'model.unavailable', 'model.switched', 'context.repaired'],
      ...['context.compacted', 'run.ending', 'run.finished'],
    ] as EventKind[],
  },
  'while the text is put to a person': {
    events: asked,
    status: 'waiting',
    may: [...ALWAYS, ...WHILE_OPEN, 'message.received', 'message.delivered', 'phase.passed', 'run.ending'],
  },
  'once it is cancelled': {
    events: [...held, anEvent('hold.withdrawn'), anEvent('cancel.requested')],
    status: 'running',
    may: [...ALWAYS, 'phase.passed', 'run.ending'],
  },
  'once its end is certain': {
    events: [...begun, anEvent('run.ending')],
    status: 'running',
    may: [...ALWAYS, 'run.finished'],
  },
  'once its end is certain, in a step': {
    events: [...inStep, anEvent('run.ending')],
    status: 'running',
    may: [...ALWAYS, 'call.finished', 'hold.opened'],
  },
  'once its end is certain, with a call held': {
    events: [...held, anEvent('run.ending')],
    status: 'running',
    may: [...ALWAYS, ...WHILE_OPEN],
  },
  'once its end is certain, with its calls final': {
    events: [...inStep, anEvent('run.ending'), anEvent('call.finished')],
    status: 'running',
    may: [...ALWAYS, 'call.finished', 'step.ended'],
  },
  'after its end': {
    events: over,
    status: 'done',
    may: ['run.started', 'checkpoint.named', 'compaction.requested', 'note'],
  },
  'in the run after that': {
    events: [...over, anEvent('run.started', {}, 'run_2')],
    status: 'running',
    may: [
      ...ALWAYS,
      'message.received',
      'message.delivered',
      'model.unavailable',
      'model.switched',
      'context.repaired',
      'phase.passed',
      'step.started',
      'model.answered',
      'run.ending',
      'run.finished',
    ],
  },
}

const PAIRS = Object.entries(SITUATIONS).flatMap(([when, { events, may }]) =>
  EVENT_KINDS.map(kind => ({ when, kind, events, isLegal: may.includes(kind) })),
)

function aThread(events: readonly NewEvent[]): Thread {
  const thread = emptyThread('th_1')
  for (const event of aJournal(events)) apply(thread, event)
  return thread
}

/** The event as it could come next: a new run has a new name, everything else is of the newest run. */
function next(kind: EventKind, thread: Thread, run_id?: string) {
  const newest = thread.run?.id ?? 'run_1'
  const usual = kind === 'run.started' && thread.run ? `${newest}_next` : newest
  return aJournal([anEvent(kind, {}, run_id ?? usual)], thread.seq)[0]!
}

test.each(Object.entries(SITUATIONS).filter(([, { status }]) => status !== null))(
  '%s a run has the status that follows from it',
  (_when, { events, status }) => {
    const { run } = aThread(events)
    expect(run && runStatus(run)).toBe(status)
  },
)

test.each(PAIRS.filter(({ isLegal }) => isLegal))('$when $kind may come', ({ events, kind }) => {
  const thread = aThread(events)
  apply(thread, next(kind, thread))
  expect(thread.seq).toBe(events.length + 1)
})

test.each(PAIRS.filter(({ isLegal }) => !isLegal))('$when $kind is refused and changes nothing', ({ events, kind }) => {
  const thread = aThread(events)
  const before = structuredClone(thread)
  expect(() => apply(thread, next(kind, thread))).toThrow(expect.objectContaining({ code: 'corrupt_journal' }))
  expect(thread).toStrictEqual(before)
})

test.each(PAIRS.filter(({ isLegal, kind }) => isLegal && kind !== 'run.started' && kind !== 'thread.forked'))(
  '$when $kind of another run is refused and changes nothing',
  ({ events, kind }) => {
    const thread = aThread(events)
    const before = structuredClone(thread)
    const earlier = [...thread.finished.keys()].find(id => id !== thread.run?.id) ?? 'run_9'
    expect(() => apply(thread, next(kind, thread, earlier))).toThrow(
      `it is of run ${earlier}, but the newest one is ${thread.run?.id}`,
    )
    expect(thread).toStrictEqual(before)
  },
)

test('a run does not begin a second time, not even behind another one', () => {
  const thread = aThread([...over, anEvent('run.started', {}, 'run_2'), anEvent('run.finished', {}, 'run_2')])
  for (const id of ['run_1', 'run_2']) {
    expect(() => apply(thread, next('run.started', thread, id))).toThrow(`run ${id} is finished already`)
  }
})

test('an event of another thread is refused', () => {
  const [event] = aJournal([anEvent('run.started')])
  expect(() => apply(emptyThread('th_2'), event!)).toThrow('event 1 (run.started) is of thread th_1')
})

test.each(['message.received', 'message.delivered'] as const)('P5: %s has its place between two steps', kind => {
  const thread = aThread(inStep)
  expect(() => apply(thread, next(kind, thread))).toThrow('step 1 has not ended')
})
