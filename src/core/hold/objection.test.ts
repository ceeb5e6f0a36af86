import { expect, test } from 'vitest'
import type { Json } from '../text/json.ts'
import type { DecisionInput, DecisionVerdict } from './decision.ts'
import type { HoldKind } from './hold.ts'
import { MAY_SAY, objectionTo } from './objection.ts'

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
  ['a proof that nothing would check', saying('approve', { proof: { key: 'k' } }), 'proof_not_supported'],
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
