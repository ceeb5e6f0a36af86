import { expect, test } from 'vitest'
import { aDecision, aJournal, anEvent } from '../../testing/contracts/sample-journal.ts'
import type { NewEvent } from '../journal/event.ts'
import { apply, fold } from '../journal/fold.ts'
import { assertMayBecome, type CallStatus, isFinal, MAY_BECOME } from './tool-call.ts'

const STATUSES = Object.keys(MAY_BECOME) as CallStatus[]

/** The table of docs/design/calls.md#statuses, written out once more. */
const LEGAL: Readonly<Record<CallStatus, readonly CallStatus[]>> = {
  new: ['running', 'suspended', 'succeeded', 'failed', 'cancelled'],
  running: ['suspended', 'succeeded', 'failed', 'cancelled'],
  suspended: ['resuming', 'cancelled'],
  resuming: ['running', 'suspended', 'succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
}

const MOVES = STATUSES.flatMap(from => STATUSES.map(to => ({ from, to })))

test('there are seven statuses, and so 49 moves', () => {
  expect(STATUSES.toSorted()).toEqual(Object.keys(LEGAL).toSorted())
  expect(MOVES).toHaveLength(49)
})

test.each(MOVES)('from $from to $to goes as the table says', ({ from, to }) => {
  const move = () => assertMayBecome({ id: 'tc_1', status: from }, to)
  if (from === to || LEGAL[from].includes(to)) expect(move).not.toThrow()
  else {
    expect(move).toThrow(
      expect.objectContaining({ code: 'illegal_move', message: `Tool call tc_1 is ${from} and cannot become ${to}.` }),
    )
  }
})

test.each(STATUSES)('%s is final where it may become nothing else', status => {
  expect(isFinal(status)).toBe(LEGAL[status].length === 0)
})

const asked = [anEvent('run.started'), anEvent('step.started'), anEvent('model.answered')]
const finish = (status: 'succeeded' | 'failed' | 'cancelled') => anEvent('call.finished', { status, output: status })
const opened = anEvent('hold.opened')
const decided = anEvent('hold.decided')
const withdrawn = anEvent('hold.withdrawn')
const gated = anEvent('call.gated')
const started = anEvent('call.started')

/** The ways in which a call comes to each status. */
const WAYS_TO: Readonly<Record<CallStatus, readonly (readonly NewEvent[])[]>> = {
  new: [[], [gated]],
  running: [
    [gated, started],
    [opened, decided, started],
  ],
  suspended: [[opened], [gated, started, opened], [opened, withdrawn]],
  resuming: [
    [opened, decided],
    [gated, started, opened, decided],
  ],
  succeeded: [[finish('succeeded')], [gated, started, finish('succeeded')], [opened, decided, finish('succeeded')]],
  failed: [[finish('failed')], [gated, started, finish('failed')], [opened, decided, started, finish('failed')]],
  cancelled: [[finish('cancelled')], [opened, finish('cancelled')], [opened, withdrawn, finish('cancelled')]],
}

/** The event that says so. Nothing but its own hold decides a call, so that only it can make it `resuming`. */
const SAYS: Readonly<Record<CallStatus, NewEvent>> = {
  new: gated,
  running: anEvent('call.started', { attempt: 7 }),
  suspended: anEvent('hold.opened', { hold_id: 'hold_9' }),
  resuming: anEvent('hold.decided', { decision: aDecision('edit') }),
  succeeded: anEvent('call.finished', { status: 'succeeded', output: 'anew' }),
  failed: anEvent('call.finished', { status: 'failed', output: null, error: { code: 'E', message: 'anew' } }),
  cancelled: anEvent('call.finished', { status: 'cancelled', output: 'anew' }),
}

const LIVED = MOVES.flatMap(move =>
  WAYS_TO[move.from].map(way => ({ ...move, way, after: way.map(({ kind }) => kind).join(', ') || 'the answer' })),
)

/** A thread whose call has come to a status, and the event that would move it on. */
function aThread(way: readonly NewEvent[], to: CallStatus) {
  const journal = aJournal([...asked, ...way, SAYS[to]])
  return { thread: fold('th_1', journal.slice(0, -1)), event: journal.at(-1)! }
}

const callOf = ({ run }: ReturnType<typeof fold>) => run?.step?.calls.get('call_1')

type Lived = (typeof LIVED)[number]
const isLegal = ({ from, to }: Pick<Lived, 'from' | 'to'>) => from === to || LEGAL[from].includes(to)

/** What is withdrawn is decided no more, whatever its call may become. */
const isTooLate = ({ to, way }: Lived) => to === 'resuming' && way.includes(withdrawn)

/** P1: only what was let pass starts. */
const isUngated = ({ from, to, way }: Lived) => from === 'new' && to === 'running' && !way.includes(gated)

/** A second hold beside an open one, and a second decision on the same hold, are refused for what they are (P2). */
const isSecond = ({ from, to, way }: Lived) =>
  (from === 'suspended' && to === 'suspended' && !way.includes(withdrawn)) || (from === 'resuming' && to === 'resuming')

test.each(LIVED.filter(move => move.from !== move.to && isLegal(move) && !isTooLate(move) && !isUngated(move)))(
  'after $after a journal may take a call from $from to $to',
  ({ from, to, way }) => {
    const { thread, event } = aThread(way, to)
    expect(callOf(thread)?.status).toBe(from)
    apply(thread, event)
    expect(callOf(thread)?.status).toBe(to)
  },
)

test.each(LIVED.filter(move => !isLegal(move) || isSecond(move) || isTooLate(move) || isUngated(move)))(
  'after $after a journal that takes a call from $from to $to is corrupt, and nothing is changed',
  ({ way, to }) => {
    const { thread, event } = aThread(way, to)
    const before = structuredClone(thread)
    expect(() => apply(thread, event)).toThrow(expect.objectContaining({ code: 'corrupt_journal' }))
    expect(thread).toStrictEqual(before)
  },
)

const inTheWay = (message: string) =>
  expect.objectContaining({ cause: expect.objectContaining({ code: 'illegal_move', message }) })

// To resume, a call needs a hold of its own, and then other things are in the way.
test.each(MOVES.filter(move => !isLegal(move) && move.to !== 'resuming'))(
  'the table is why a call that is $from cannot become $to',
  ({ from, to }) => {
    const { thread, event } = aThread(WAYS_TO[from][0]!, to)
    expect(() => apply(thread, event)).toThrow(inTheWay(`Tool call call_1 is ${from} and cannot become ${to}.`))
  },
)

test('the table is why a call that was cancelled with its hold open is not resumed by a decision', () => {
  const { thread, event } = aThread([opened, finish('cancelled')], 'resuming')
  expect(() => apply(thread, event)).toThrow(inTheWay('Tool call call_1 is cancelled and cannot become resuming.'))
})

test.each(LIVED.filter(({ from, to }) => from === to && isFinal(from)))(
  'after $after a call that is $from keeps what it came to, whatever is said again',
  ({ way, to }) => {
    const { thread, event } = aThread(way, to)
    const before = structuredClone(thread)
    apply(thread, event)
    expect({ ...thread, seq: before.seq }).toStrictEqual(before)
  },
)

test('a call that was cut off and runs again stays running, in another attempt', () => {
  const { thread, event } = aThread([gated, started], 'running')
  apply(thread, event)
  expect(callOf(thread)).toMatchObject({ status: 'running', attempt: 7 })
})

test('a call that waits for a hold that was withdrawn may be held anew', () => {
  const { thread, event } = aThread([opened, withdrawn], 'suspended')
  apply(thread, event)
  expect(callOf(thread)).toMatchObject({ status: 'suspended', hold_id: 'hold_9' })
})

test.each(['__proto__', 'constructor', 'toString', 'done'])('no call becomes %j', to => {
  const thread = fold('th_1', aJournal(asked))
  const [event] = aJournal([anEvent('call.finished', { status: to as 'failed' })], thread.seq)
  expect(() => apply(thread, event!)).toThrow(`call_1 is new and cannot become ${to}`)
})
