import { expect, test } from 'vitest'
import { toolContext } from '../testing/kit/tool-context.ts'
import { askHuman } from './ask-human.ts'

test('a question becomes what a person is asked', () => {
  const schema = { type: 'number' }
  expect(askHuman().asks?.({ question: 'Which one?', context: { orders: 2 }, choices: ['a', 'b'], schema })).toEqual({
    message: 'Which one?',
    context: { orders: 2 },
    choices: ['a', 'b'],
    response_schema: schema,
  })
})

test('what was not said is absent', () => {
  expect(askHuman().asks?.({ question: 'Why?' })).toEqual({
    message: 'Why?',
    context: null,
    choices: null,
    response_schema: null,
  })
})

test('it never runs', async () => {
  const asked = askHuman().execute({ question: 'Why?' }, toolContext())
  await expect(asked).rejects.toMatchObject({ code: 'WAITS_FOR_ANSWER' })
})

test.each([
  ['no question', {}, 'arguments.question: is required'],
  ['an empty question', { question: '' }, 'arguments.question: must not be empty'],
  ['no choices to choose from', { question: 'Why?', choices: [] }, 'arguments.choices: must have at least 1 item'],
  [
    'the same choice twice',
    { question: 'Why?', choices: ['a', 'a'] },
    'arguments.choices: must not have the same item twice',
  ],
  [
    'a schema that no answer could fit',
    { question: 'How many?', schema: { type: 'count' } },
    'arguments.schema.type is "count", which is not a JSON Schema type; no answer could fit it',
  ],
])('a question with %s is sent back to the model', async (_, args, issues) => {
  expect(await askHuman().validate(args)).toEqual({ ok: false, issues })
})

test('a question in full is valid', async () => {
  const args = { question: 'How many?', context: 'Stock is low.', choices: ['1', '2'], schema: { enum: ['1', '2'] } }
  expect(await askHuman().validate(args)).toEqual({ ok: true, value: args })
})
