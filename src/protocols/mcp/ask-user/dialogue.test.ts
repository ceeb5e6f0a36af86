import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Hold, HoldKind } from '../../../core/hold/hold.ts'
import { MAY_SAY, objectionTo } from '../../../core/hold/objection.ts'
import { aHold } from '../../../testing/contracts/sample-hold.ts'
import { formFor, saidIn } from './dialogue.ts'
import type { Filled } from './form.ts'

const KINDS = Object.keys(MAY_SAY) as HoldKind[]

test.each(KINDS)('whatever can be chosen in the form of a hold of kind %s can be recorded', kind => {
  const hold = aHold({ kind })
  const filled: Filled = { answer: 'an answer', reply: 'a reply', result: 'a result', reason: 'a reason' }
  const { decision } = formFor(hold).properties as { decision?: { oneOf: { const: string }[] } }
  const choices = decision?.oneOf.map(choice => choice.const) ?? [null]
  for (const choice of choices) expect(objected(hold, { ...filled, decision: choice })).toBeNull()
})

test('what is no decision is refused, whatever it is', () => {
  fc.assert(
    fc.property(fc.constantFrom<HoldKind>('approval', 'input', 'in_doubt'), fc.jsonValue(), (kind, decision) => {
      fc.pre(typeof decision !== 'string' || !['approve', 'reject', 'respond'].includes(decision))
      expect(() => saidIn(aHold({ kind }), { decision } as Filled)).toThrow(/no decision/)
    }),
  )
})

test('an approval cannot be read out of anything but the word', () => {
  for (const decision of ['yes', 'Approve', ' approve', true, ['approve'], null])
    expect(() => saidIn(aHold(), { decision } as Filled)).toThrow(/no decision/)
})

test('a schema that no form can ask for is asked for as JSON', () => {
  const schema = { type: 'object', properties: { rows: { type: 'array' } } }
  const hold = aHold({ kind: 'question', response_schema: schema })
  expect(formFor(hold).properties).toMatchObject({
    answer: { type: 'string', description: expect.stringContaining('"rows"') },
  })
  expect(saidIn(hold, { answer: '{"rows":[1]}' }).value).toEqual({ rows: [1] })
})

test('a field says only what forms can say, and a format only where it is one of theirs', () => {
  const properties = { mail: { type: 'string', format: 'email', pattern: 'x' }, at: { type: 'string', format: 'ipv4' } }
  const hold = aHold({ kind: 'client_tool', response_schema: { type: 'object', properties, required: ['mail'] } })
  expect(formFor(hold)).toEqual({
    type: 'object',
    properties: { mail: { type: 'string', format: 'email' }, at: { type: 'string' } },
    required: ['mail'],
  })
  expect(saidIn(hold, { mail: 'a@b.c' }).value).toEqual({ mail: 'a@b.c' })
})

test('a plain value is asked for as what it is', () => {
  const hold = aHold({ kind: 'question', response_schema: { type: 'integer', minimum: 3 } })
  expect(formFor(hold).properties).toEqual({ answer: { title: 'Answer', type: 'integer', minimum: 3 } })
  expect(saidIn(hold, { answer: 7 }).value).toBe(7)
})

function objected(hold: Hold, filled: Filled): unknown {
  return objectionTo(hold, { hold_id: hold.id, decided_by: 'ana', surface: 'test', ...saidIn(hold, filled) })
}
