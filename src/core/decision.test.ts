import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Decision, DecisionInput, DecisionVerdict } from './decision.ts'
import type { HoldKind } from './hold.ts'
import type { Json } from './json.ts'
import { MAY_SAY, objectionTo } from './objection.ts'
import { releaseOf } from './release.ts'

const KINDS = Object.keys(MAY_SAY) as HoldKind[]
const VERDICTS: readonly DecisionVerdict[] = ['approve', 'reject', 'edit', 'respond', 'cancel']
const CELLS = KINDS.flatMap(kind => VERDICTS.map(verdict => ({ kind, verdict })))

function aHold(kind: HoldKind, choices: readonly string[] | null = null): Parameters<typeof objectionTo>[0] {
  return { id: 'hold_1', kind, choices }
}

/** Complete where its verdict needs more. */
function saying(verdict: DecisionVerdict, changes: Partial<DecisionInput> = {}): DecisionInput {
  const more = { edit: { arguments: {} }, respond: { value: 'an answer' } }[verdict as 'edit' | 'respond'] ?? {}
  return { hold_id: 'hold_1', verdict, decided_by: 'ana', surface: 'test', ...more, ...changes }
}

function decided(verdict: DecisionVerdict, changes: Partial<Decision> = {}): Decision {
  return {
    decision_id: 'dec_1',
    verdict,
    arguments: null,
    value: null,
    reason: null,
    digest: null,
    decided_by: 'ana',
    surface: 'test',
    at: '2030-01-01T00:00:00.000Z',
    ...changes,
  }
}

test.each(CELLS)(
  'to say $verdict to a hold of kind $kind is refused exactly where it means nothing',
  ({ kind, verdict }) => {
    const objection = objectionTo(aHold(kind), saying(verdict))
    if (MAY_SAY[kind][verdict] !== null) return expect(objection).toBeNull()
    expect(objection).toMatchObject({ code: 'verdict_not_possible' })
    const possible = VERDICTS.filter(other => MAY_SAY[kind][other] !== null)
    for (const other of possible) expect(objection?.hint).toContain(other)
  },
)

test.each(CELLS.filter(({ kind }) => kind !== 'input'))(
  'P1: $verdict of a hold of kind $kind runs the call only where approving is what it means',
  ({ kind, verdict }) => {
    const release = releaseOf(kind as Exclude<HoldKind, 'input'>, decided(verdict, { arguments: {}, value: 'x' }))
    const runs =
      (kind === 'approval' && ['approve', 'edit'].includes(verdict)) || (kind === 'in_doubt' && verdict === 'approve')
    expect(release.act).toBe(runs ? 'run' : 'finish')
  },
)

test('a rejection says so to the model, with its reason where there is one', () => {
  const withReason = releaseOf('approval', decided('reject', { reason: 'too late' }))
  expect(withReason).toMatchObject({ status: 'failed', error: { code: 'TOOL_CALL_REJECTED', message: 'too late' } })
  expect(releaseOf('approval', decided('reject'))).toMatchObject({ error: { message: 'ana rejected this call.' } })
})

test('an answer becomes the result of its call, whatever JSON it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      for (const kind of ['question', 'client_tool', 'in_doubt'] as const) {
        const release = releaseOf(kind, decided('respond', { value: value as Decision['value'] }))
        expect(release).toEqual({ act: 'finish', status: 'succeeded', output: value, error: null })
      }
    }),
  )
})

test('a cancelled call is cancelled, and a declined question says that it was', () => {
  expect(releaseOf('question', decided('cancel'))).toMatchObject({ status: 'cancelled' })
  expect(releaseOf('question', decided('reject'))).toMatchObject({ error: { code: 'QUESTION_DECLINED' } })
  expect(releaseOf('in_doubt', decided('reject'))).toMatchObject({ error: { code: 'TOOL_CALL_FAILED' } })
})

test.each(['', null, undefined])('the answer %j is refused as empty', value => {
  expect(objectionTo(aHold('question'), saying('respond', { value }))).toMatchObject({ code: 'empty_answer' })
})

test.each([0, false, ' ', [], {}])('the answer %j is an answer', value => {
  expect(objectionTo(aHold('question'), saying('respond', { value }))).toBeNull()
})

test('an edit without arguments is refused', () => {
  expect(objectionTo(aHold('approval'), saying('edit', { arguments: null }))).toMatchObject({
    code: 'invalid_decision',
  })
})

test('where there are choices, anything else is refused, and they are named', () => {
  const hold = aHold('question', ['eu', 'us'])
  expect(objectionTo(hold, saying('respond', { value: 'eu' }))).toBeNull()
  for (const value of ['EU', 'asia', 0, ['eu']]) {
    expect(objectionTo(hold, saying('respond', { value }))).toMatchObject({
      code: 'not_a_choice',
      hint: 'Choose one of: "eu", "us".',
    })
  }
})

test.each([
  ['a verdict that there is none of', saying('toString' as DecisionVerdict), 'verdict_not_possible'],
  ['nobody', saying('approve', { decided_by: ' ' }), 'invalid_decision'],
  ['no surface', saying('approve', { surface: '' }), 'invalid_decision'],
  ['arguments without an edit', saying('approve', { arguments: { a: 1 } }), 'invalid_decision'],
  ['a list for arguments', saying('edit', { arguments: [] as never }), 'invalid_decision'],
  ['a value without an answer', saying('approve', { value: 'x' }), 'invalid_decision'],
  ['arguments nested without end', saying('edit', { arguments: { a: nested(200) } }), 'invalid_decision'],
])('a decision with %s is refused', (_what, said, code) => {
  expect(objectionTo(aHold('approval'), said)).toMatchObject({ code })
})

test('a text pause is answered with text', () => {
  expect(objectionTo(aHold('input'), saying('respond', { value: 'go on' }))).toBeNull()
  expect(objectionTo(aHold('input'), saying('respond', { value: { go: 'on' } }))).toMatchObject({
    code: 'invalid_decision',
  })
})

function nested(depth: number): Json {
  let value: Json = 1
  for (let level = 0; level < depth; level += 1) value = [value]
  return value
}
