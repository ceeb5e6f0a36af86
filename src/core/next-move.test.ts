import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Decision, DecisionVerdict } from './decision.ts'
import type { HoldKind } from './hold.ts'
import { nextMove } from './next-move.ts'
import { MAY_SAY } from './objection.ts'
import type { HoldScope, Profile } from './profile.ts'
import { releaseOf } from './release.ts'
import type { HoldState, Run } from './thread.ts'
import { type CallStatus, isFinal, type ToolCall } from './tool-call.ts'

type CallHoldKind = Exclude<HoldKind, 'input'>

/** A call and the hold that its status implies. */
interface Situation {
  readonly status: CallStatus
  readonly allowed: boolean
  readonly kind: CallHoldKind
  readonly verdict: DecisionVerdict
}

const KINDS: readonly CallHoldKind[] = ['approval', 'question', 'client_tool', 'in_doubt']
const FREE: readonly CallStatus[] = ['running', 'succeeded', 'failed', 'cancelled']

/** Every situation in which a call can be. */
const SITUATIONS: readonly Situation[] = [
  ...[true, false].map((allowed): Situation => ({ status: 'new', allowed, kind: 'approval', verdict: 'approve' })),
  ...FREE.map((status): Situation => ({ status, allowed: true, kind: 'approval', verdict: 'approve' })),
  ...KINDS.map((kind): Situation => ({ status: 'suspended', allowed: false, kind, verdict: 'approve' })),
  ...KINDS.flatMap(kind =>
    (Object.keys(MAY_SAY[kind]) as DecisionVerdict[])
      .filter(verdict => MAY_SAY[kind][verdict] !== null)
      .map((verdict): Situation => ({ status: 'resuming', allowed: false, kind, verdict })),
  ),
]

function decision(verdict: DecisionVerdict): Decision {
  return {
    decision_id: 'dec_1',
    verdict,
    arguments: verdict === 'edit' ? {} : null,
    value: verdict === 'respond' ? 'an answer' : null,
    reason: null,
    digest: null,
    decided_by: 'ana',
    surface: 'test',
    at: '2030-01-01T00:00:00.000Z',
  }
}

function callIn({ status, allowed }: Situation, index: number): ToolCall {
  const held = status === 'suspended' || status === 'resuming'
  return {
    id: `call_${index}`,
    name: 'work',
    arguments: {},
    final_arguments: {},
    status,
    attempt: 0,
    allowed,
    hold_id: held ? `hold_${index}` : null,
    output: null,
    error: null,
  }
}

function holdOf({ status, kind, verdict }: Situation, index: number): HoldState[] {
  if (status !== 'suspended' && status !== 'resuming') return []
  const decided = status === 'resuming' ? decision(verdict) : null
  return [{ id: `hold_${index}`, kind, call_id: `call_${index}`, digest: null, because: '', decision: decided }]
}

function aRun(changes: Partial<Run>, scope: HoldScope = 'batch'): Run {
  return {
    id: 'run_1',
    profile: { hold_scope: scope } as Profile,
    steps: 1,
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    step: null,
    holds: new Map(),
    rejected: new Map(),
    checkpoint: null,
    announced: null,
    termination: null,
    answer: '',
    concluding: false,
    ...changes,
  }
}

function inStep(situations: readonly Situation[], scope: HoldScope): Run {
  const calls = new Map(situations.map((situation, index) => [`call_${index}`, callIn(situation, index)]))
  const holds = new Map(situations.flatMap(holdOf).map(hold => [hold.id, hold]))
  return aRun({ step: { number: 1, text: '', calls }, holds }, scope)
}

const scope = fc.constantFrom<HoldScope>('batch', 'call')
const batches = fc.array(fc.constantFrom(...SITUATIONS), { maxLength: 5 })

/** What a person released, or policy let pass; the only ways to a tool. */
function mayRun({ status, allowed, kind, verdict }: Situation): boolean {
  if (status === 'new') return allowed
  if (status === 'running') return true
  return status === 'resuming' && releaseOf(kind, decision(verdict)).act === 'run'
}

test('P1: a call is executed only where policy let it pass or a person released it', () => {
  fc.assert(
    fc.property(batches, scope, (batch, scope) => {
      const move = nextMove(inStep(batch, scope))
      if (move.type !== 'execute') return
      const situation = batch[Number(move.call.id.slice('call_'.length))] as Situation
      expect(mayRun(situation), JSON.stringify(situation)).toBe(true)
    }),
    { numRuns: 5_000 },
  )
})

test('P1: the whole batch is gated before any of it moves', () => {
  fc.assert(
    fc.property(batches, scope, (batch, scope) => {
      const ungated = batch.flatMap(({ status, allowed }, index) =>
        status === 'new' && !allowed ? [`call_${index}`] : [],
      )
      const move = nextMove(inStep(batch, scope))
      expect(move.type === 'gate').toBe(ungated.length > 0)
      if (move.type === 'gate') expect(move.calls.map(({ id }) => id)).toEqual(ungated)
    }),
    { numRuns: 2_000 },
  )
})

test('with scope batch nothing moves while a hold is open', () => {
  fc.assert(
    fc.property(batches, batch => {
      const { type } = nextMove(inStep(batch, 'batch'))
      const held = batch.some(({ status }) => status === 'suspended')
      if (held) expect(['gate', 'wait']).toContain(type)
      else expect(type).not.toBe('wait')
    }),
    { numRuns: 2_000 },
  )
})

test('with scope call whatever may move does, while others are held', () => {
  fc.assert(
    fc.property(batches, batch => {
      const { type } = nextMove(inStep(batch, 'call'))
      const moves = batch.some(({ status }) => status !== 'suspended' && !isFinal(status))
      const held = batch.some(({ status }) => status === 'suspended')
      if (moves) expect(['gate', 'execute', 'settle']).toContain(type)
      else expect(type).toBe(held ? 'wait' : 'end_step')
    }),
    { numRuns: 2_000 },
  )
})

test('calls move in the order in which they were asked for', () => {
  fc.assert(
    fc.property(batches, scope, (batch, scope) => {
      const move = nextMove(inStep(batch, scope))
      if (move.type !== 'execute' && move.type !== 'settle') return
      const first = batch.findIndex(({ status }) => status !== 'suspended' && !isFinal(status))
      expect(move.call.id).toBe(`call_${first}`)
    }),
    { numRuns: 2_000 },
  )
})

test('a step ends exactly when each of its calls is final', () => {
  fc.assert(
    fc.property(batches, scope, (batch, scope) => {
      const final = batch.every(({ status }) => isFinal(status))
      expect(nextMove(inStep(batch, scope)).type === 'end_step').toBe(final)
    }),
    { numRuns: 2_000 },
  )
})

test.each(SITUATIONS.filter(situation => situation.status === 'resuming' && !mayRun(situation)))(
  'what was said by $verdict to a hold of kind $kind settles its call without running it',
  situation => {
    const move = nextMove(inStep([situation], 'batch'))
    expect(move).toMatchObject({ type: 'settle', call: { id: 'call_0' }, release: { act: 'finish' } })
  },
)

test('a run that ended is done, whatever is left of it', () => {
  const run = inStep([SITUATIONS[0] as Situation], 'batch')
  run.termination = { type: 'cancelled', reason: null }
  expect(nextMove(run)).toEqual({ type: 'done' })
})

const input = (verdict: DecisionVerdict | null): Map<string, HoldState> =>
  new Map([
    [
      'hold_1',
      { id: 'hold_1', kind: 'input', call_id: null, digest: null, because: '', decision: verdict && decision(verdict) },
    ],
  ])

test.each([
  ['nothing was said yet', aRun({}), { type: 'infer' }],
  ['the model answered with text alone', aRun({ concluding: true }), { type: 'conclude', accepted: false }],
  ['the text is put to a person', aRun({ concluding: true, holds: input(null) }), { type: 'wait' }],
  ['the text was accepted', aRun({ concluding: true, holds: input('approve') }), { type: 'conclude', accepted: true }],
  ['the text was answered', aRun({ holds: input('respond') }), { type: 'infer' }],
])('between steps, when %s, the next move follows from it', (_when, run, move) => {
  expect(nextMove(run)).toEqual(move)
})
