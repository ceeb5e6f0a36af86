import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aCall, aDecision, aJournal, anEvent, aProfile, tokens } from '../../testing/contracts/sample-journal.ts'
import type { DecisionVerdict } from '../hold/decision.ts'
import { type HoldKind, RESUME_MODES, type ResumeMode } from '../hold/hold.ts'
import { MAY_SAY } from '../hold/objection.ts'
import { releaseOf } from '../hold/release.ts'
import type { HoldScope, Profile } from '../run/profile.ts'
import type { StopCondition } from '../run/stop-condition.ts'
import { type CallStatus, isFinal, newCall, type ToolCall } from '../run/tool-call.ts'
import type { EventData, NewEvent } from './event.ts'
import { fold } from './fold.ts'
import { type AdvanceContext, type Move, nextMove } from './next-move.ts'
import { type HoldState, newRun, type Run, runStatus } from './thread.ts'

type CallHoldKind = Exclude<HoldKind, 'input'>

/** A call and the hold that its status implies. */
interface Situation {
  readonly status: CallStatus
  readonly allowed: boolean
  readonly kind: CallHoldKind
  readonly verdict: DecisionVerdict
  readonly mode: ResumeMode
  /** How often it had started. */
  readonly attempt: number
  /** Somebody withdrew the hold that it waits for. */
  readonly withdrawn: boolean
}

const USUAL: Omit<Situation, 'status'> = {
  allowed: true,
  kind: 'approval',
  verdict: 'approve',
  mode: 'replay_tool_call',
  attempt: 0,
  withdrawn: false,
}

const KINDS: readonly CallHoldKind[] = ['approval', 'question', 'client_tool', 'in_doubt']
const OVER: readonly CallStatus[] = ['succeeded', 'failed', 'cancelled']

/** Every situation in which a call can be. */
const SITUATIONS: readonly Situation[] = [
  ...[true, false].map((allowed): Situation => ({ ...USUAL, status: 'new', allowed })),
  { ...USUAL, status: 'running', attempt: 1 },
  ...OVER.map((status): Situation => ({ ...USUAL, status })),
  ...KINDS.flatMap(kind =>
    [0, 1].flatMap(attempt => [
      ...[true, false].map((withdrawn): Situation => ({ ...USUAL, status: 'suspended', kind, attempt, withdrawn })),
      ...(Object.keys(MAY_SAY[kind]) as DecisionVerdict[])
        .filter(verdict => MAY_SAY[kind][verdict] !== null)
        .flatMap(verdict =>
          RESUME_MODES.map((mode): Situation => ({ ...USUAL, status: 'resuming', kind, verdict, mode, attempt })),
        ),
    ]),
  ),
]

function callIn({ status, allowed, attempt }: Situation, index: number): ToolCall {
  const held = status === 'suspended' || status === 'resuming'
  const hold_id = held ? `hold_${index}` : null
  return { ...newCall(aCall(`call_${index}`)), status, allowed, attempt, hold_id }
}

function holdOf({ status, kind, verdict, mode, withdrawn }: Situation, index: number): HoldState[] {
  if (status !== 'suspended' && status !== 'resuming') return []
  const about = { id: `hold_${index}`, kind, call_id: `call_${index}`, digest: null, because: '', plugin: null }
  return [{ ...about, resume_mode: mode, withdrawn, decision: status === 'resuming' ? aDecision(verdict) : null }]
}

function aRun(profile: Partial<Profile> = {}): Run {
  return newRun('run_1', { profile: aProfile(profile), carried: null, pinned: null }, null)
}

interface Batch {
  readonly situations: readonly Situation[]
  readonly hold_scope: HoldScope
  readonly max_concurrent_calls: number
  readonly superseded: boolean
  /** Of the calls that run, whether this process runs them. */
  readonly isUnderway: boolean
}

function inStep({ situations, superseded, ...profile }: Omit<Batch, 'isUnderway'>): Run {
  const calls = new Map(situations.map((situation, index) => [`call_${index}`, callIn(situation, index)]))
  const holds = new Map(situations.flatMap(holdOf).map(hold => [hold.id, hold]))
  const queue = superseded ? [{ content: 'No.', author: null, supersede: true, interrupt: false }] : []
  return { ...aRun(profile), steps: 1, step: { number: 1, text: '', calls }, holds, queue }
}

const IDLE: AdvanceContext = { underway: new Set(), active_ms: 0 }

function contextOf({ situations, isUnderway }: Batch): AdvanceContext {
  const running = situations.flatMap(({ status }, index) => (status === 'running' ? [`call_${index}`] : []))
  return { underway: new Set(isUnderway ? running : []), active_ms: 0 }
}

const batches: fc.Arbitrary<Batch> = fc.record({
  situations: fc.array(fc.constantFrom(...SITUATIONS), { maxLength: 5 }),
  hold_scope: fc.constantFrom<HoldScope>('batch', 'call'),
  max_concurrent_calls: fc.integer({ min: 1, max: 4 }),
  superseded: fc.boolean(),
  isUnderway: fc.boolean(),
})
const usualBatches = batches.map(batch => ({ ...batch, superseded: false }))

const moveOf = (batch: Batch) => nextMove(inStep(batch), contextOf(batch))
const indexOf = ({ id }: ToolCall) => Number(id.slice('call_'.length))
const startedBy = (move: Move) => (move.type === 'start' ? move.calls.map(indexOf) : [])
const isHeld = ({ status, withdrawn }: Situation) => status === 'suspended' && !withdrawn

/** What a person released, or policy let pass; the only ways to a tool. */
function mayRun({ status, allowed, kind, verdict, mode }: Situation): boolean {
  if (status === 'new') return allowed
  if (status === 'running') return true
  return status === 'resuming' && releaseOf(kind, aDecision(verdict), mode).act === 'run'
}

describe('in a step', () => {
  const every = (arbitrary: fc.Arbitrary<Batch>, check: (batch: Batch, move: Move) => void) =>
    fc.assert(
      fc.property(arbitrary, batch => check(batch, moveOf(batch))),
      { numRuns: 5_000 },
    )

  test('P1: a call is started only where policy let it pass or a person released it', () => {
    every(batches, ({ situations }, move) => {
      for (const index of startedBy(move)) expect(mayRun(situations[index]!)).toBe(true)
    })
  })

  test('P1: the whole batch is gated before any of it moves', () => {
    every(usualBatches, ({ situations }, move) => {
      const ungated = situations.flatMap(({ status, allowed }, index) => (status === 'new' && !allowed ? [index] : []))
      expect(move.type === 'gate').toBe(ungated.length > 0)
      if (move.type === 'gate') expect(move.calls.map(indexOf)).toEqual(ungated)
    })
  })

  test('with hold scope batch nothing begins or is settled while a hold is open, but what had begun goes on', () => {
    every(usualBatches, ({ situations, hold_scope }, move) => {
      if (hold_scope !== 'batch' || !situations.some(isHeld)) return
      expect(['gate', 'start', 'attend', 'wait']).toContain(move.type)
      for (const index of startedBy(move)) expect(situations[index]?.status).toBe('running')
    })
  })

  test('P11: nothing starts while a message waits that takes the place of the calls', () => {
    every(batches, ({ superseded }, move) => {
      if (superseded) expect(move.type).not.toBe('start')
    })
  })

  test('P3: a call under way is never started again', () => {
    every(batches, (batch, move) => {
      const { underway } = contextOf(batch)
      for (const index of startedBy(move)) expect(underway).not.toContain(`call_${index}`)
    })
  })

  test('no more calls run at once than the run allows', () => {
    every(batches, (batch, move) => {
      const { underway } = contextOf(batch)
      if (move.type !== 'start') return
      expect(underway.size + move.calls.length).toBeLessThanOrEqual(batch.max_concurrent_calls)
    })
  })

  test('as many calls are started as the run allows, the first ones first', () => {
    every(usualBatches, (batch, move) => {
      if (move.type !== 'start') return
      const { situations, hold_scope, max_concurrent_calls } = batch
      const { underway } = contextOf(batch)
      const onlyCutOff = hold_scope === 'batch' && situations.some(isHeld)
      const ready = situations.flatMap((situation, index) =>
        mayRun(situation) && !underway.has(`call_${index}`) && (!onlyCutOff || situation.status === 'running')
          ? [index]
          : [],
      )
      expect(startedBy(move)).toEqual(ready.slice(0, max_concurrent_calls - underway.size))
    })
  })

  test('what a decision settles is settled before anything starts', () => {
    every(usualBatches, ({ situations, hold_scope }, move) => {
      const settles = (situation: Situation) => situation.status === 'resuming' && !mayRun(situation)
      const first = situations.findIndex(settles)
      const isFree = !situations.some(({ status, allowed }) => status === 'new' && !allowed)
      const isHeldBack = hold_scope === 'batch' && situations.some(isHeld)
      if (!isFree || isHeldBack) return
      expect(move.type === 'settle').toBe(first >= 0)
      if (move.type === 'settle') expect(indexOf(move.call)).toBe(first)
    })
  })

  test('calls under way are attended exactly where nothing else is to be done', () => {
    every(batches, (batch, move) => {
      const { underway } = contextOf(batch)
      if (move.type === 'attend') expect(underway.size).toBeGreaterThan(0)
      if (underway.size > 0) expect(['gate', 'settle', 'start', 'attend']).toContain(move.type)
    })
  })

  test('a step ends exactly when each of its calls is final', () => {
    every(batches, ({ situations }, move) => {
      expect(move.type === 'end_step').toBe(situations.every(({ status }) => isFinal(status)))
    })
  })

  test('a run waits only for somebody: where it waits a hold is open', () => {
    // A hold is withdrawn together with its run's cancel, or with a message in its place.
    const reachable = batches.filter(({ superseded, situations }) => superseded || !situations.some(s => s.withdrawn))
    every(reachable, (batch, move) => {
      if (move.type !== 'wait') return
      expect(runStatus(inStep(batch))).toBe('waiting')
      expect(batch.situations.some(isHeld)).toBe(true)
    })
  })
})

test.each(SITUATIONS.filter(situation => situation.status === 'resuming' && !mayRun(situation)))(
  'what was said by $verdict to a hold of kind $kind with $mode settles its call without running it',
  situation => {
    const run = inStep({ situations: [situation], hold_scope: 'call', max_concurrent_calls: 1, superseded: false })
    expect(nextMove(run, IDLE)).toMatchObject({ type: 'settle', call: { id: 'call_0' }, release: { act: 'finish' } })
  },
)

/** The run that a journal tells of. */
function lived(...events: readonly NewEvent[]): Run {
  return fold('th_1', aJournal(events)).run!
}

const started = (profile: Partial<Profile> = {}) => anEvent('run.started', { profile: aProfile(profile) })
const answered = (...calls: readonly string[]) => [
  anEvent('step.started'),
  anEvent('model.answered', { text: 'I say.', calls: calls.map(id => aCall(id)) }),
]
const gated = (call_id: string) => anEvent('call.gated', { call_id })
const runs = (call_id: string) => anEvent('call.started', { call_id })
const succeeded = (call_id: string) => anEvent('call.finished', { call_id })
const held = (call_id: string, data: Partial<EventData['hold.opened']> = {}) =>
  anEvent('hold.opened', { hold_id: `hold_${call_id}`, call_id, ...data })
const decided = (call_id: string, verdict: DecisionVerdict) =>
  anEvent('hold.decided', { hold_id: `hold_${call_id}`, call_id, decision: aDecision(verdict) })
const withdrawn = (call_id: string) => anEvent('hold.withdrawn', { hold_id: `hold_${call_id}`, call_id })
const said = anEvent('message.queued')
const saidInstead = anEvent('message.queued', { supersede: true })
const MAY_HAVE = {
  type: 'settle',
  release: { status: 'cancelled', error: { message: expect.stringContaining('may have had its effect') } },
}
const stepEnded = anEvent('step.ended')
const textHold = anEvent('hold.opened', { kind: 'input', call_id: null, status: null })
const textDecided = (verdict: DecisionVerdict) =>
  anEvent('hold.decided', { call_id: null, status: null, decision: aDecision(verdict) })
const working = (...ids: readonly string[]): AdvanceContext => ({ underway: new Set(ids), active_ms: 0 })
const idsOf = (move: Move) => ('calls' in move ? move.calls.map(({ id }) => id) : [])

const CALLS = ['A', 'B', 'C', 'D'] as const
const four = (max_concurrent_calls: number, hold_scope: HoldScope = 'call') => [
  started({ max_concurrent_calls, hold_scope }),
  ...answered(...CALLS),
]

describe('side by side', () => {
  const allowed = (max: number) => [...four(max), ...CALLS.map(gated)]

  test.each([1, 2, 3, 4, 9])('at most %i calls start at once', max => {
    const move = nextMove(lived(...allowed(max)), IDLE)
    expect(move.type).toBe('start')
    expect(idsOf(move)).toEqual(CALLS.slice(0, max))
  })

  test('the next call starts as soon as there is room', () => {
    const two = [...allowed(2), runs('A'), runs('B')]
    expect(nextMove(lived(...two), working('A', 'B'))).toEqual({ type: 'attend' })
    expect(idsOf(nextMove(lived(...two, succeeded('B')), working('A')))).toEqual(['C'])
  })

  test('no call starts while more are running than a run allows since', () => {
    const fewer = anEvent('run.configured', { changes: { max_concurrent_calls: 1 } })
    const run = lived(...allowed(3), runs('A'), runs('B'), fewer)
    expect(nextMove(run, working('A', 'B'))).toEqual({ type: 'attend' })
    expect(nextMove(run, working('A'))).toEqual({ type: 'attend' })
  })

  test('calls that were cut off are started again beside those that are ready', () => {
    expect(idsOf(nextMove(lived(...allowed(3), runs('A'), runs('B')), IDLE))).toEqual(['A', 'B', 'C'])
  })

  test('a call that was cut off is not started by the process that is running it', () => {
    expect(idsOf(nextMove(lived(...allowed(8), runs('A'), runs('B')), working('B')))).toEqual(['A', 'C', 'D'])
  })
})

describe('in a batch with an open hold', () => {
  const batch = [...four(8, 'batch'), held('A'), ...['B', 'C', 'D'].map(gated)]

  test('nothing starts', () => {
    expect(nextMove(lived(...batch), IDLE)).toEqual({ type: 'wait' })
  })

  test('what was rejected is not settled yet, so that the whole batch is told at once', () => {
    expect(
      nextMove(
        lived(...four(8, 'batch'), ...['A', 'B'].map(id => held(id)), gated('C'), gated('D'), decided('A', 'reject')),
        IDLE,
      ),
    ).toEqual({ type: 'wait' })
  })

  test('what was cut off starts again', () => {
    const asked = [...four(8, 'batch'), ...CALLS.map(gated), runs('A'), runs('B'), held('A', { kind: 'in_doubt' })]
    expect(idsOf(nextMove(lived(...asked), IDLE))).toEqual(['B'])
    expect(nextMove(lived(...asked), working('B'))).toEqual({ type: 'attend' })
  })

  test('a call that is not gated yet is gated', () => {
    const move = nextMove(lived(...four(8, 'batch'), held('A'), gated('B')), IDLE)
    expect([move.type, ...idsOf(move)]).toEqual(['gate', 'C', 'D'])
  })
})

describe('what was said in place of a step', () => {
  const settled = (run: Run, context = IDLE) => {
    const move = nextMove(run, context)
    return move.type === 'settle' ? [move.call.id, move.release.status] : [move.type, ...idsOf(move)]
  }

  test('cancels its calls one by one, whether or not they were gated', () => {
    const run = lived(...four(8), gated('A'), held('B'), held('C'), withdrawn('B'), withdrawn('C'), saidInstead)
    expect(settled(run)).toEqual(['A', 'cancelled'])
    const next = (...done: readonly NewEvent[]) =>
      lived(...four(8), gated('A'), held('B'), held('C'), withdrawn('B'), withdrawn('C'), saidInstead, ...done)
    const cancelled = (call_id: string) => anEvent('call.finished', { call_id, status: 'cancelled' })
    expect(settled(next(cancelled('A')))).toEqual(['B', 'cancelled'])
    expect(settled(next(...CALLS.slice(0, 3).map(cancelled)))).toEqual(['D', 'cancelled'])
    expect(settled(next(...CALLS.map(cancelled)))).toEqual(['end_step'])
  })

  test('tells the model that a call did not run', () => {
    const move = nextMove(lived(...four(8), saidInstead), IDLE)
    expect(move).toMatchObject({
      release: { error: { code: 'TOOL_CALL_CANCELLED', message: expect.stringContaining('before this call ran') } },
    })
  })

  test('leaves what is running to end', () => {
    const run = lived(...four(8), ...CALLS.map(gated), ...CALLS.map(runs), saidInstead)
    expect(nextMove(run, working(...CALLS))).toEqual({ type: 'attend' })
  })

  test('P11: starts nothing again that was cut off, and says that it may have had its effect', () => {
    const run = lived(started(), ...answered('A'), gated('A'), runs('A'), saidInstead)
    expect(nextMove(run, IDLE)).toMatchObject(MAY_HAVE)
  })

  test('P3: starts nothing again that was in doubt, whatever was said of it, but takes word of what happened', () => {
    const doubt = [started(), ...answered('A'), gated('A'), runs('A'), saidInstead, held('A', { kind: 'in_doubt' })]
    expect(settled(lived(...doubt, decided('A', 'respond')))).toEqual(['A', 'succeeded'])
    for (const life of [doubt, [...doubt, decided('A', 'approve')]])
      expect(nextMove(lived(...life), IDLE)).toMatchObject(MAY_HAVE)
  })

  test('asks nobody any more about a call that asks while it runs', () => {
    const asks = [started({ hold_scope: 'call' }), ...answered('A'), gated('A'), runs('A'), saidInstead, held('A')]
    expect(nextMove(lived(...asks), IDLE)).toMatchObject(MAY_HAVE)
  })

  test('takes the place of calls that the model asks for after it was said', () => {
    const run = lived(started(), saidInstead, ...answered('A'), gated('A'))
    expect(settled(run)).toEqual(['A', 'cancelled'])
  })

  test('cancels a call that never started, even where its hold was opened since', () => {
    expect(settled(lived(started(), ...answered('A'), saidInstead, held('A')))).toEqual(['A', 'cancelled'])
  })

  test('P3: tells of a call that had started that it may have had an effect', () => {
    const asks = [started(), ...answered('A'), gated('A'), runs('A'), held('A', { kind: 'in_doubt' })]
    expect(nextMove(lived(...asks, withdrawn('A'), saidInstead), IDLE)).toMatchObject(MAY_HAVE)
  })

  test('keeps what somebody answered before', () => {
    const question = held('A', { kind: 'question', resume_mode: 'use_decision_as_tool_result' })
    const batch = [started(), ...answered('A', 'B'), question, held('B'), decided('A', 'respond')]
    expect(settled(lived(...batch, withdrawn('B'), saidInstead))).toEqual(['A', 'succeeded'])
  })

  test('cancels a call that was approved and has not started', () => {
    const batch = [started(), ...answered('A', 'B'), held('A'), held('B'), decided('A', 'approve')]
    expect(settled(lived(...batch, withdrawn('B'), saidInstead))).toEqual(['A', 'cancelled'])
  })
})

test('a message that is queued leaves the step as it is', () => {
  expect(nextMove(lived(...four(8), held('A'), ...['B', 'C', 'D'].map(gated), said), IDLE).type).toBe('start')
})

/** A life with something of everything, to be interrupted anywhere. */
const LIFE: readonly NewEvent[] = [
  started({ hold_scope: 'call', max_concurrent_calls: 2 }),
  anEvent('message.received'),
  ...answered('A', 'B', 'C'),
  held('A'),
  gated('B'),
  gated('C'),
  runs('B'),
  runs('C'),
  decided('A', 'approve'),
  anEvent('call.finished', { call_id: 'B', status: 'failed' }),
  runs('A'),
  held('C', { hold_id: 'hold_again', kind: 'question' }),
  succeeded('A'),
  anEvent('hold.decided', { hold_id: 'hold_again', call_id: 'C', decision: aDecision('reject') }),
  anEvent('call.finished', { call_id: 'C', status: 'failed' }),
  stepEnded,
  anEvent('step.started', { step: 2 }),
  anEvent('model.answered', { text: 'Done.', calls: [] }),
  anEvent('step.ended', { step: 2 }),
  textHold,
  textDecided('approve'),
]

const saidNow = anEvent('message.received', { forced_by: null })

const moments = LIFE.map((event, index) => ({ after: `${index + 1}: ${event.kind}`, events: LIFE.slice(0, index + 1) }))

describe('the end', () => {
  const CANCELLED = { type: 'cancelled', by: 'ana', reason: 'enough' } as const
  const cancel = anEvent('cancel.requested', { by: 'ana', reason: 'enough' })
  const BLOCKED = { type: 'blocked', reason: 'no' } as const
  const ending = anEvent('run.ending', { termination: BLOCKED })

  test.each(moments)('follows a cancel after $after', ({ events }) => {
    expect(nextMove(lived(...events, cancel), IDLE)).toEqual({ type: 'end', termination: CANCELLED })
  })

  test.each(moments)('goes on where it was certain after $after', ({ events }) => {
    expect(nextMove(lived(...events, ending), IDLE)).toEqual({ type: 'end', termination: BLOCKED })
  })

  test('stays what it was when somebody cancels what is about to end', () => {
    const [first, last] = [lived(started(), ending, cancel), lived(started(), cancel, ending)]
    expect(nextMove(first, IDLE)).toEqual({ type: 'end', termination: BLOCKED })
    expect(nextMove(last, IDLE)).toEqual({ type: 'end', termination: BLOCKED })
  })

  test('is of the first who cancelled', () => {
    const run = lived(started(), cancel, anEvent('cancel.requested', { by: 'ben', reason: null }))
    expect(nextMove(run, IDLE)).toEqual({ type: 'end', termination: CANCELLED })
  })

  test('is final', () => {
    expect(nextMove(lived(started(), cancel, anEvent('run.finished')), IDLE)).toEqual({ type: 'done' })
  })

  test('of a cancelled run does not wait for calls under way', () => {
    expect(nextMove(lived(...four(8), ...CALLS.map(gated), runs('A'), cancel), working('A')).type).toBe('end')
  })
})

describe('between steps', () => {
  const text = [anEvent('step.started'), anEvent('model.answered', { text: 'Done.', calls: [] }), stepEnded]

  test.each([
    ['nothing was said yet', [], { type: 'infer' }],
    ['the calls of a step are answered', [...answered('A'), succeeded('A'), stepEnded], { type: 'infer' }],
    ['the model answered with text alone', text, { type: 'conclude', accepted: false }],
    ['the text is put to a person', [...text, textHold], { type: 'wait' }],
    ['the text was accepted', [...text, textHold, textDecided('approve')], { type: 'conclude', accepted: true }],
    ['the text was answered', [...text, textHold, textDecided('respond')], { type: 'infer' }],
    [
      'the text was answered by a plugin',
      [...text, anEvent('message.received', { forced_by: 'p' })],
      { type: 'infer' },
    ],
    ['somebody spoke while the model said its last', [said, ...text], { type: 'infer' }],
    ['somebody spoke after the model said its last', [...text, said], { type: 'infer' }],
    [
      'somebody spoke after the text was accepted',
      [...text, textHold, textDecided('approve'), said],
      { type: 'infer' },
    ],
    ['somebody spoke in place of the text pause', [...text, textHold, withdrawnText(), saidInstead], { type: 'infer' }],
    ['what was said meanwhile is delivered', [...text, said, anEvent('message.delivered')], { type: 'infer' }],
    [
      'the answer of an older journal was empty',
      [anEvent('step.started'), anEvent('model.answered', { calls: [] }), stepEnded],
      { type: 'conclude', accepted: false },
    ],
    ['the answer was cut', cut('length'), { type: 'ask_again', because: 'length' }],
    ['the answer with calls was cut', [...cut('length', 'A')], { type: 'ask_again', because: 'length' }],
    ['the answer was empty', cut('empty_answer'), { type: 'ask_again', because: 'empty_answer' }],
    ['the model was asked again', [...cut('length'), askedAgain('length')], { type: 'infer' }],
    [
      'the answer was cut twice',
      [...cut('length'), askedAgain('length'), ...cut('content_filter', 'A')],
      { type: 'conclude', accepted: false },
    ],
    [
      'the answer was cut, and a whole one followed, and it was cut again',
      [...cut('length'), askedAgain('length'), ...text, saidNow, ...cut('length')],
      { type: 'ask_again', because: 'length' },
    ],
    ['somebody spoke after the cut', [...cut('length'), said], { type: 'infer' }],
    ['somebody answered the pause after the cut', [...cut('length'), saidNow], { type: 'infer' }],
    [
      'a cut text was accepted',
      [...cut('length'), textHold, textDecided('approve')],
      { type: 'conclude', accepted: true },
    ],
    ['the model paused its answer', cut('pause_turn'), { type: 'ask_again', because: 'pause_turn' }],
    [
      'the model paused its answer twice',
      [...cut('pause_turn'), askedAgain('pause_turn'), ...cut('pause_turn')],
      { type: 'ask_again', because: 'pause_turn' },
    ],
    [
      'the model paused after it was asked again',
      [...cut('length'), askedAgain('length'), ...cut('pause_turn'), askedAgain('pause_turn'), ...cut('length')],
      { type: 'conclude', accepted: false },
    ],
  ] as const)('when %s, the next move follows from it', (_when, events, move) => {
    expect(nextMove(lived(started(), ...events), IDLE)).toEqual(move)
  })

  test('a text without an end of its step ends its step', () => {
    expect(nextMove(lived(started(), ...text.slice(0, 2)), IDLE)).toEqual({ type: 'end_step' })
  })
})

/** The step of an answer of which nothing may run: its calls are over without it. */
function cut(unfinished: NonNullable<EventData['model.answered']['unfinished']>, ...calls: string[]): NewEvent[] {
  const finished = calls.map(call_id => anEvent('call.finished', { call_id, status: 'cancelled' }))
  const answer = { text: '', calls: calls.map(id => aCall(id)), unfinished }
  return [anEvent('step.started'), anEvent('model.answered', answer), ...finished, anEvent('step.ended')]
}

function askedAgain(because: 'length' | 'pause_turn'): NewEvent {
  return anEvent('answer.asked_again', { because })
}

test.each(['length', 'content_filter'] as const)('no call of an answer with %s is gated: each is over', unfinished => {
  const answer = { text: '', calls: [aCall('A'), aCall('B')], unfinished }
  const begun = [started(), anEvent('step.started'), anEvent('model.answered', answer)]
  const move = nextMove(lived(...begun), IDLE)
  expect(move).toMatchObject({
    type: 'settle',
    call: { id: 'A' },
    release: { act: 'finish', status: 'cancelled', error: { code: 'TOOL_CALL_CANCELLED' } },
  })
  const next = nextMove(lived(...begun, anEvent('call.finished', { call_id: 'A', status: 'cancelled' })), IDLE)
  expect(next).toMatchObject({ type: 'settle', call: { id: 'B' } })
})

test('a call that passed the gate of an older version goes on', () => {
  const answer = { text: '', calls: [aCall('A')], finish_reason: 'length' }
  const run = lived(started(), anEvent('step.started'), anEvent('model.answered', answer), gated('A'))
  expect(nextMove(run, IDLE).type).toBe('start')
})

test('what is paused and goes on is one answer', () => {
  const part = (text: string, unfinished?: 'pause_turn') => [
    anEvent('step.started'),
    anEvent('model.answered', { text, calls: [], ...(unfinished && { unfinished }) }),
    stepEnded,
  ]
  const paused = [started(), ...part('I search', 'pause_turn'), askedAgain('pause_turn')]
  expect(lived(...paused, ...part(' and find.')).answer).toBe('I search and find.')
  expect(lived(...paused, saidNow, ...part('Found.')).answer).toBe('Found.')
})

function withdrawnText(): NewEvent {
  return anEvent('hold.withdrawn', { call_id: null })
}

describe('a stop condition', () => {
  const worked = [
    anEvent('step.started'),
    anEvent('model.answered', { text: 'I say.', calls: [aCall('A')], usage: tokens(100) }),
    anEvent('call.finished', { call_id: 'A', status: 'failed', error: { code: 'E', message: 'broken' } }),
    stepEnded,
  ]
  const text = [
    anEvent('step.started'),
    anEvent('model.answered', { text: 'Done.', calls: [], usage: tokens(100) }),
    stepEnded,
  ]
  const under = (stop: readonly StopCondition[], ...events: readonly NewEvent[]) => lived(started({ stop }), ...events)
  const stopped = (code: string) => ({ type: 'end', termination: { type: 'stopped', code } })
  const late: AdvanceContext = { underway: new Set(), active_ms: 5_000 }

  const met: readonly StopCondition[] = [
    { type: 'max_rounds', rounds: 1 },
    { type: 'timeout', seconds: 5 },
    { type: 'token_budget', max_total: 100 },
    { type: 'consecutive_errors', max: 1 },
    { type: 'content_match', pattern: 'say' },
  ]

  test.each(met)('$type ends the run between two steps', condition => {
    expect(nextMove(under([condition], ...worked), late)).toMatchObject(stopped(condition.type))
  })

  test.each(met)('$type comes first where it is first in the list', condition => {
    const stop = [condition, ...met.filter(other => other !== condition)]
    expect(nextMove(under(stop, ...worked), late)).toMatchObject(stopped(condition.type))
  })

  test('stop_on_tool ends the run after its call is over, or with on success only if it succeeded', () => {
    const stop: StopCondition[] = [{ type: 'stop_on_tool', tool_name: 'work' }]
    const success: StopCondition[] = [{ type: 'stop_on_tool', tool_name: 'work', on: 'success' }]
    expect(nextMove(under(stop, ...worked), IDLE)).toMatchObject(stopped('stop_on_tool'))
    expect(nextMove(under(success, ...worked), IDLE)).toEqual({ type: 'infer' })
    const good = [...answered('A'), succeeded('A'), stepEnded]
    expect(nextMove(under(success, ...good), IDLE)).toMatchObject(stopped('stop_on_tool'))
  })

  test('an answer that does not count completes no run, and a limit keeps the model from another one', () => {
    const half = cut('length', 'A')
    const completes: StopCondition[] = [
      { type: 'stop_on_tool', tool_name: 'work' },
      { type: 'content_match', pattern: '' },
    ]
    expect(nextMove(under(completes, ...half), IDLE)).toEqual({ type: 'ask_again', because: 'length' })
    const limit: StopCondition[] = [{ type: 'max_rounds', rounds: 1 }]
    expect(nextMove(under(limit, ...half), IDLE)).toEqual({ type: 'conclude', accepted: false })
    expect(nextMove(under(limit, ...cut('pause_turn')), IDLE)).toMatchObject(stopped('max_rounds'))
  })

  test('loop_detection ends the run after the same call came often enough', () => {
    const stop: StopCondition[] = [{ type: 'loop_detection', window: 2 }]
    const same = (id: string) => [
      anEvent('step.started'),
      anEvent('model.answered', { calls: [aCall(id, { arguments: { n: 1 } })] }),
      succeeded(id),
      stepEnded,
    ]
    expect(nextMove(under(stop, ...same('A')), IDLE)).toEqual({ type: 'infer' })
    expect(nextMove(under(stop, ...same('A'), ...same('B')), IDLE)).toMatchObject(stopped('loop_detection'))
  })

  test('does not spoil a text that needs nothing more, unless it is about the text', () => {
    expect(nextMove(under(met.slice(0, -1), ...text), late)).toEqual({ type: 'conclude', accepted: false })
    expect(nextMove(under([{ type: 'content_match', pattern: '^Done' }], ...text), IDLE)).toMatchObject(
      stopped('content_match'),
    )
  })

  test.each(met)('$type does not keep a message from its answer', condition => {
    expect(nextMove(under([condition], ...worked, said), late)).toEqual({ type: 'infer' })
    const delivered = anEvent('message.delivered', { active_ms: 5_000 })
    expect(nextMove(under([condition], ...text, said, delivered), late)).toEqual({ type: 'infer' })
  })

  test.each(met.slice(0, 3))('$type counts from the newest message on', condition => {
    const delivered = anEvent('message.delivered', { active_ms: 5_000 })
    const later: AdvanceContext = { underway: new Set(), active_ms: 10_000 }
    const second = worked.map(event => JSON.parse(JSON.stringify(event).replaceAll('"A"', '"B"')) as NewEvent)
    expect(nextMove(under([condition], ...text, said, delivered, ...second), later)).toMatchObject(
      stopped(condition.type),
    )
  })

  test('waits with a text that is put to a person', () => {
    expect(nextMove(under(met, ...text, textHold), late)).toEqual({ type: 'wait' })
  })

  test('is read before the first step too, for budgets are not reset', () => {
    const carried = { run_id: 'run_0', steps: 3, usage: tokens(1), counters: aRun().counters }
    const stop: StopCondition[] = [{ type: 'max_rounds', rounds: 3 }]
    const run = lived(anEvent('run.started', { profile: aProfile({ stop }), carried }))
    expect(nextMove(run, IDLE)).toMatchObject(stopped('max_rounds'))
  })

  describe('timeout', () => {
    const stop: StopCondition[] = [
      { type: 'max_rounds', rounds: 1 },
      { type: 'timeout', seconds: 5 },
    ]
    const step = answered('A', 'B')

    test.each([
      ['its calls are gated', step],
      ['a call runs', [...step, gated('A'), gated('B'), runs('A')]],
      ['a call is held', [...step, held('A'), gated('B')]],
      ['one call is not over', [...step, succeeded('A')]],
    ])('ends the run in a step where %s', (_when, events) => {
      const run = under(stop, ...events)
      expect(nextMove(run, { underway: new Set(), active_ms: 4_999 }).type).not.toBe('end')
      expect(nextMove(run, late)).toMatchObject(stopped('timeout'))
    })

    test('cuts a step short if a message waits, which has time of its own', () => {
      expect(nextMove(under(stop, ...step, gated('A'), gated('B'), runs('A'), said), late)).toEqual({
        type: 'cut_step',
      })
    })

    test('leaves a step whose calls are over to end, and the conditions their order', () => {
      const events = [...step, succeeded('A'), succeeded('B')]
      expect(nextMove(under(stop, ...events), late)).toEqual({ type: 'end_step' })
      expect(nextMove(under(stop, ...events, stepEnded), late)).toMatchObject(stopped('max_rounds'))
    })

    test('does not spoil a text that came in time', () => {
      expect(nextMove(under(stop, ...text.slice(0, 2)), late)).toEqual({ type: 'end_step' })
    })
  })
})
