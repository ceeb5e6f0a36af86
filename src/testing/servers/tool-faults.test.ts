import { expect, test } from 'vitest'
import { ANTHROPIC_TOOLS, GOOGLE_TOOLS, OPENAI_TOOLS, toolFaults } from './tool-faults.ts'

const anthropic = (input_schema: object, name = 'act') =>
  toolFaults({ tools: [{ name, input_schema }] }, ANTHROPIC_TOOLS)
const openai = (parameters: object, name = 'act') =>
  toolFaults({ tools: [{ type: 'function', function: { name, parameters } }] }, OPENAI_TOOLS)
const google = (parametersJsonSchema: object, name = 'act') =>
  toolFaults({ tools: [{ functionDeclarations: [{ name, parametersJsonSchema }] }] }, GOOGLE_TOOLS)

const fine = { type: 'object', properties: { list: { type: 'array', items: {} } } }

test.each([anthropic, openai, google])('a plain schema has no fault (%#)', faultsOf => {
  expect(faultsOf(fine)).toEqual([])
})

test.each([
  [{}, 'Field required'],
  [{ ...fine, oneOf: [] }, 'does not support oneOf'],
  [{ ...fine, properties: { a: { type: 'object', properties: { $filter: {} } } } }, 'Property keys should match'],
  [{ ...fine, properties: { a: { type: 'any' } } }, 'draft 2020-12'],
  [{ ...fine, properties: { a: { $ref: '#' } } }, 'reference'],
])('Anthropic refuses %j', (schema, words) => {
  expect(anthropic(schema)).toEqual([expect.stringContaining(words)])
})

test.each([
  [{ ...fine, properties: { a: { type: 'array' } } }, 'array schema missing items'],
  [{ ...fine, properties: { a: { type: 'string', pattern: '(?=a)' } } }, 'lookaround'],
  [{ type: 'object' }, 'object schema missing properties'],
])('OpenAI refuses %j', (schema, words) => {
  expect(openai(schema)).toEqual([expect.stringContaining(words)])
})

test.each([
  [{ ...fine, properties: { a: { type: 'string', enum: [''] } } }, 'cannot be empty'],
  [{ ...fine, properties: { a: { type: 'string', format: 'uri' } } }, 'date-time'],
  [{ ...fine, required: ['gone'] }, 'property is not defined'],
  [{ ...fine, $schema: 'x' }, 'Cannot find field'],
])('Google refuses %j', (schema, words) => {
  expect(google(schema)).toEqual([expect.stringContaining(words)])
})

test('names and numbers of tools are judged', () => {
  expect(anthropic(fine, 'a.b')).toEqual([expect.stringContaining('tools.0.custom.name')])
  expect(openai(fine, 'a.b')).toEqual([expect.stringContaining('string does not match pattern')])
  expect(google(fine, '1a')).toEqual([expect.stringContaining('Invalid function name')])
  const tools = Array.from({ length: 129 }, (_, at) => ({ function: { name: `a${at}`, parameters: fine } }))
  expect(toolFaults({ tools }, OPENAI_TOOLS)).toEqual([expect.stringContaining('array too long')])
  const twice = { tools: [tools[0], tools[0]] }
  expect(toolFaults(twice, OPENAI_TOOLS)).toEqual(['tools: Tool names must be unique.'])
})
