import { expect, test } from 'vitest'
import type { Json } from '../../src/index.ts'
import { asksOf, type GivenAnswer, resumeValues } from '../../src/langgraph/asks.ts'

const interrupt = (value: Json, response_schema: Record<string, Json> | null = null) => ({
  id: 'a1',
  value,
  response_schema,
})
const said = (value: Json, ...decisions: GivenAnswer[]) => resumeValues([interrupt(value)], decisions)

const OLD = {
  action_request: { action: 'mail', args: { to: 'ben' } },
  config: { allow_ignore: true, allow_respond: false, allow_edit: true, allow_accept: true },
  description: 'A letter',
}
const MIDDLEWARE = {
  actionRequests: [
    { name: 'mail', args: { to: 'ben' } },
    { name: 'pay', args: { amount: 1 } },
  ],
  reviewConfigs: [
    { actionName: 'mail', allowedDecisions: ['approve', 'edit', 'reject'] },
    { actionName: 'pay', allowedDecisions: ['approve', 'reject'] },
  ],
}
const as = (action: string, args: Json): GivenAnswer => ({ approved: { action, args } })

test.each<[Json, Record<string, Json>]>([
  ['How much?', { question: 'How much?' }],
  [
    { message: 'How much?', of: 17 },
    { question: 'How much?', context: { message: 'How much?', of: 17 } },
  ],
  [7, { question: 'The graph waits for a value.', context: 7 }],
  ['', { question: 'The graph waits for a value.' }],
  [null, { question: 'The graph waits for a value.', context: null }],
  [
    { prompt: 'Which?', options: ['a', 'b'] },
    { question: 'Which?', choices: ['a', 'b'], context: { prompt: 'Which?', options: ['a', 'b'] } },
  ],
  [
    { prompt: 'Which?', options: ['a', 'a'] },
    { question: 'Which?', context: { prompt: 'Which?', options: ['a', 'a'] } },
  ],
])('the value %j is a question', (value, args) => {
  expect(asksOf([interrupt(value)])).toEqual([{ id: 'a1', name: 'ask_human', args }])
})

test('the schema of an answer is that of the interrupt', () => {
  const schema = { type: 'number' }
  expect(asksOf([interrupt('How much?', schema)])).toMatchObject([{ args: { question: 'How much?', schema } }])
})

test('each action of the middleware is an approval, and the graph gets the decisions in their order', () => {
  expect(asksOf([interrupt(MIDDLEWARE)]).map(({ id, name }) => [id, name])).toEqual([
    ['a1_0', 'review_action'],
    ['a1_1', 'review_action'],
  ])
  expect(said(MIDDLEWARE, as('mail', { to: 'eva' }), { rejected: 'no' })).toEqual({
    a1: {
      decisions: [
        { type: 'edit', editedAction: { name: 'mail', args: { to: 'eva' } } },
        { type: 'reject', message: 'no' },
      ],
    },
  })
})

test('P1: a change that an action does not allow is no approval of it', () => {
  expect(said(MIDDLEWARE, as('mail', { to: 'ben' }), as('pay', { amount: 9 }))).toMatchObject({
    a1: { decisions: [{ type: 'approve' }, { type: 'reject' }] },
  })
  expect(said(MIDDLEWARE, as('pay', { to: 'ben' }), as('pay', { amount: 1 }))).toMatchObject({
    a1: { decisions: [{ type: 'edit' }, { type: 'approve' }] },
  })
  const strict = { ...OLD, config: { ...OLD.config, allow_edit: false } }
  expect(said(strict, as('mail', { to: 'eva' }))).toEqual({ a1: [{ type: 'ignore', args: null }] })
})

test.each([{ value: OLD }, { value: [OLD] }])(
  'a HumanInterrupt is answered with a list of one response: %j',
  ({ value }) => {
    expect(said(value, as('mail', { to: 'ben' }))).toEqual({ a1: [{ type: 'accept', args: null }] })
    expect(said(value, as('mail', { to: 'eva' }))).toEqual({
      a1: [{ type: 'edit', args: { action: 'mail', args: { to: 'eva' } } }],
    })
    expect(said(value, { rejected: 'no' })).toEqual({ a1: [{ type: 'ignore', args: null }] })
  },
)

test('without a decision on each ask there is nothing to resume with', () => {
  expect(said(MIDDLEWARE, as('mail', { to: 'ben' }), null)).toBeNull()
  expect(said(MIDDLEWARE, as('mail', { to: 'ben' }))).toBeNull()
  expect(said('How much?', null)).toBeNull()
})
