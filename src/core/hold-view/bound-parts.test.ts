import { expect, test } from 'vitest'
import { boundParts } from './bound-parts.ts'

const call = { tool: 'pay', arguments: { amount: 7 } }

test('P9: version and code of a tool stand beside its schema', () => {
  const schema = { type: 'object', tool_version: '2' }
  expect(boundParts({ ...call, schema })).toEqual({
    ...call,
    tool_version: '2',
    tool_code: null,
    schema: { type: 'object' },
  })
})

test('a tool that is gone has no schema', () => {
  expect(boundParts({ ...call, schema: null })).toEqual({ ...call, schema: null })
})
