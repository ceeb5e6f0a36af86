import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aDecision } from '../../testing/contracts/sample-journal.ts'
import type { Json } from '../text/json.ts'
import type { Decision, DecisionVerdict } from './decision.ts'
import { type HoldKind, RESUME_MODES, type ResumeMode, USUAL_RESUME_MODE } from './hold.ts'
import { MAY_SAY } from './objection.ts'
import { releaseOf } from './release.ts'

type CallHoldKind = Exclude<HoldKind, 'input'>
/** It runs; or what it comes to without running. */
type Outcome = 'run' | 'succeeded' | 'failed' | 'cancelled'

const KINDS: readonly CallHoldKind[] = ['approval', 'question', 'client_tool', 'in_doubt']

/** In the order of `RESUME_MODES`: replay, use the decision as the result, pass it to the tool, go on with it. */
type Row = readonly [replay: Outcome, use: Outcome, pass: Outcome, goOn: Outcome]
const always = (outcome: Outcome): Row => [outcome, outcome, outcome, outcome]

const OUTCOMES: Readonly<Record<CallHoldKind, Partial<Record<DecisionVerdict, Row>>>> = {
  approval: {
    approve: ['run', 'succeeded', 'run', 'run'],
    edit: ['run', 'succeeded', 'run', 'run'],
    reject: always('failed'),
    cancel: always('cancelled'),
  },
  question: {
    respond: ['run', 'succeeded', 'run', 'run'],
    reject: ['failed', 'failed', 'failed', 'run'],
    cancel: ['cancelled', 'cancelled', 'cancelled', 'run'],
  },
  client_tool: { respond: ['run', 'succeeded', 'run', 'run'], reject: always('failed'), cancel: always('cancelled') },
  // What is asked here is what happened, whatever its hold was to do at first.
  in_doubt: {
    approve: always('run'),
    respond: always('succeeded'),
    reject: always('failed'),
    cancel: always('cancelled'),
  },
}

const CELLS = KINDS.flatMap(kind =>
  (Object.keys(MAY_SAY[kind]) as DecisionVerdict[])
    .filter(verdict => MAY_SAY[kind][verdict] !== null)
    .flatMap(verdict => RESUME_MODES.map((mode, index) => ({ kind, verdict, mode, index }))),
)

function outcomeOf(kind: CallHoldKind, decision: Decision, mode: ResumeMode): Outcome {
  const release = releaseOf(kind, decision, mode)
  return release.act === 'run' ? 'run' : release.status
}

test('the table has a row for exactly what may be said', () => {
  for (const kind of KINDS) {
    const sayable = CELLS.filter(cell => cell.kind === kind).map(({ verdict }) => verdict)
    expect(Object.keys(OUTCOMES[kind]).toSorted()).toEqual([...new Set(sayable)].toSorted())
  }
})

test.each(CELLS)('$verdict on a hold of kind $kind does with $mode what the table says', cell => {
  const { kind, verdict, mode, index } = cell
  expect(outcomeOf(kind, aDecision(verdict), mode)).toBe(OUTCOMES[kind][verdict]?.[index])
})

const REFUSED = CELLS.filter(({ verdict }) => verdict === 'reject' || verdict === 'cancel')

test.each(REFUSED.filter(({ kind, mode }) => kind !== 'question' || mode !== 'continue_call'))(
  'P1: nothing runs on $verdict of a hold of kind $kind with $mode, and the model is told why',
  ({ kind, verdict, mode }) => {
    const release = releaseOf(kind, aDecision(verdict, { reason: 'too late' }), mode)
    expect(release).toMatchObject({ act: 'finish', output: null, error: { message: 'too late' } })
  },
)

test('P1: a verdict that there is none of, or that means nothing for a hold, never runs anything', () => {
  const known = (kind: CallHoldKind, verdict: string) => Object.hasOwn(OUTCOMES[kind], verdict)
  const verdicts = fc.oneof(
    fc.string(),
    fc.constantFrom('toString', '__proto__', 'constructor', 'approve', 'edit', 'respond', 'APPROVE', ' approve'),
  )
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), verdicts, fc.constantFrom(...RESUME_MODES), (kind, verdict, mode) => {
      fc.pre(!known(kind, verdict))
      const release = releaseOf(kind, aDecision(verdict as DecisionVerdict), mode)
      expect(release).toMatchObject({ act: 'finish', status: 'failed', error: { code: 'TOOL_CALL_REJECTED' } })
    }),
    { numRuns: 2_000 },
  )
})

test('a rejection says who rejected where there is no reason', () => {
  expect(releaseOf('approval', aDecision('reject'), 'replay_tool_call')).toMatchObject({
    status: 'failed',
    error: { code: 'TOOL_CALL_REJECTED', message: 'ana rejected this call.' },
  })
})

test.each([
  ['question', 'QUESTION_DECLINED'],
  ['in_doubt', 'TOOL_CALL_FAILED'],
  ['client_tool', 'TOOL_CALL_REJECTED'],
] as const)('a rejected hold of kind %s is told to the model as %s', (kind, code) => {
  expect(releaseOf(kind, aDecision('reject'), USUAL_RESUME_MODE[kind])).toMatchObject({ error: { code } })
})

test('an answer becomes the result of its call, whatever JSON it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), json => {
      const value = json as Json
      for (const kind of ['question', 'client_tool', 'in_doubt'] as const) {
        const release = releaseOf(kind, aDecision('respond', { value }), USUAL_RESUME_MODE[kind])
        expect(release).toEqual({ act: 'finish', status: 'succeeded', output: value, error: null })
      }
    }),
  )
})

test('an approval that is the result itself tells the whole decision', () => {
  const edit = aDecision('edit', { arguments: { to: 'b' }, reason: 'typo' })
  expect(releaseOf('approval', edit, 'use_decision_as_tool_result')).toEqual({
    act: 'finish',
    status: 'succeeded',
    output: { verdict: 'edit', arguments: { to: 'b' }, value: null, reason: 'typo', decided_by: 'ana' },
    error: null,
  })
})
