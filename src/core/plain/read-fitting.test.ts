import { expect, test } from 'vitest'
import { answerValue } from '../hold/answer-value.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { readFitting } from './read-fitting.ts'

const ID = { type: 'object', properties: { id: { type: ['integer', 'string'] }, n: { type: 'integer' } } }

test.each([
  ['{"id":1234567890123456789}', ID, { id: '1234567890123456789' }],
  ['{"id":7}', ID, { id: 7 }],
  ['{"id":1e999,"n":2}', ID, { id: '1e999', n: 2 }],
  ['1234567890123456789', { type: 'string' }, '1234567890123456789'],
  ['[1e999]', { type: 'array', items: { type: 'string' } }, ['1e999']],
] as [string, JsonObject, Json][])(
  '%s is kept as it was written where the schema %j takes text',
  (text, schema, value) => {
    expect(readFitting(text, schema)).toEqual({ value, faults: [] })
  },
)

test.each([
  ['{"n":1234567890123456789}', 'number'],
  ['{"id":1,"id":2}', 'key'],
  ['{"__proto__":{}}', 'key'],
  ['{"id":1e999,"n":1e999}', 'number'],
])('%s says what no value can', (text, kind) => {
  expect(readFitting(text, ID).faults[0]).toMatchObject({ kind })
})

test.each([
  ['{"n":1234567890123456789}', ID],
  ['{"id":1,"id":2}', ID],
  ['-1e999', { type: 'number' }],
] as [string, JsonObject][])(
  'P9: the answer %s stays text, and is not taken for another value',
  (text, response_schema) => {
    expect(answerValue(text, { kind: 'question', response_schema })).toBe(text)
  },
)

test('P9: the result of a call that runs elsewhere keeps a long number as text', () => {
  const asked = { kind: 'client_tool', response_schema: null } as const
  expect(answerValue('{"payment":12345678901234567890}', asked)).toEqual({ payment: '12345678901234567890' })
})
