import { expect, test } from 'vitest'
import type { JsonObject } from '../../core/text/json.ts'
import { fitTools } from './fit-tools.ts'
import { PROVIDER_RULES, type WireName, wireOf } from './provider-rules.ts'

const tool = (inputSchema: object, name = 'act') => ({
  name,
  description: 'Acts.',
  inputSchema: inputSchema as JsonObject,
})

const fitted = (inputSchema: object, wire: WireName = 'anthropic') =>
  fitTools([tool(inputSchema)], PROVIDER_RULES[wire]).sent[0]?.inputSchema

const text = { type: 'string' }

test('a schema that the provider takes is sent as it is', () => {
  const schema = { type: 'object', properties: { path: { type: 'string', minLength: 1 } }, required: ['path'] }
  expect(fitted(schema)).toBe(schema)
})

test('alternatives at the top become one object that demands what all of them demand', () => {
  const schema = {
    oneOf: [
      { type: 'object', properties: { kind: { const: 'file' }, path: text }, required: ['kind', 'path'] },
      { type: 'object', properties: { kind: { const: 'web' }, url: text }, required: ['kind', 'url'] },
      { type: 'null' },
    ],
  }
  expect(fitted(schema)).toEqual({
    type: 'object',
    properties: { kind: { enum: ['file', 'web'] }, path: text, url: text },
    required: ['kind'],
    description: 'One of these sets of fields is needed: (kind, path) or (kind, url).',
  })
})

test('additions at the top are merged, and closed objects that grow are opened', () => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    properties: { a: { type: 'string' } },
    allOf: [{ properties: { a: { maxLength: 3 }, b: text }, required: ['b'] }],
    anyOf: [{ required: ['a'] }, { required: ['b'] }],
  }
  expect(fitted(schema)).toEqual({
    type: 'object',
    properties: { a: { type: 'string', maxLength: 3 }, b: text },
    required: ['b'],
    description: 'One of these sets of fields is needed: (a) or (b).',
  })
})

test.each([
  [{}, { type: 'object', properties: {} }],
  [{ type: ['object', 'null'] }, { type: 'object', properties: {} }],
  [{ properties: { a: true } }, { type: 'object', properties: { a: true } }],
  [
    { type: 'object', properties: { a: { type: 'any' }, b: { type: 'array' } } },
    { type: 'object', properties: { a: {}, b: { type: 'array', items: {} } } },
  ],
  [
    { type: 'object', properties: { a: { minimum: 1, exclusiveMinimum: true }, b: { required: true } } },
    { type: 'object', properties: { a: { exclusiveMinimum: 1 }, b: {} } },
  ],
])('%j is sent as %j', (schema, sent) => {
  expect(fitted(schema)).toEqual(sent)
})

test('arguments that are no object leave out that tool alone', () => {
  const tools = [tool(text, 'say'), tool({ type: 'object', properties: {} }, 'look')]
  const { sent, unfit } = fitTools(tools, PROVIDER_RULES.anthropic)
  expect(sent.map(({ name }) => name)).toEqual(['look'])
  expect(unfit).toEqual([{ tool: 'say', why: 'its arguments are no object' }])
})

test('references are followed, and those without an end become free values', () => {
  const schema = {
    type: 'object',
    properties: { at: { $ref: '#/$defs/place' }, tree: { $ref: '#/$defs/node' }, lost: { $ref: '#/$defs/none' } },
    $defs: {
      place: text,
      node: { type: 'object', description: 'A node.', properties: { next: { $ref: '#/$defs/node' } } },
    },
  }
  const sent = fitted(schema) ?? {}
  expect(JSON.stringify(sent)).not.toContain('$')
  expect(sent['properties']).toMatchObject({ at: text, lost: { type: 'object' } })
  const free = { type: 'object', description: 'A node.' }
  expect(sent['properties']).toMatchObject({ tree: { properties: { next: { properties: { next: free } } } } })
})

test('references that multiply one another end', () => {
  const defs = Array.from({ length: 30 }, (_, index) => [
    `d${index}`,
    { type: 'object', properties: { a: { $ref: `#/$defs/d${index + 1}` }, b: { $ref: `#/$defs/d${index + 1}` } } },
  ])
  const sent = fitted({ type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs: Object.fromEntries(defs) })
  expect(JSON.stringify(sent).length).toBeLessThan(2_000_000)
})

test('names of fields that the provider refuses come back as they are', () => {
  const schema = {
    type: 'object',
    properties: {
      $filter: text,
      filter: text,
      'user name': { type: 'object', properties: { 'first name': text } },
      list: { type: 'array', items: { type: 'object', properties: { $filter: text } } },
      free: { type: 'object', additionalProperties: true },
    },
    required: ['$filter', 'user name'],
  }
  const fit = fitTools([tool(schema)], PROVIDER_RULES.anthropic)
  const sent = fit.sent[0]?.inputSchema as { properties: Record<string, object>; required: string[] }
  const [other = ''] = sent.required
  expect(other).toMatch(/^filter_\w{6}$/)
  expect(Object.keys(sent.properties)).toEqual([other, 'filter', 'user_name', 'list', 'free'])
  expect(sent.properties[other]).toEqual({ type: 'string', description: 'The field "$filter".' })
  const written = `{"${other}":"x","filter":"y","user_name":{"first_name":"Ana"},"list":[{"${other}":"z"}],"free":{"user_name":12345678901234567890}}`
  const meant =
    '{"$filter":"x","filter":"y","user name":{"first name":"Ana"},"list":[{"$filter":"z"}],"free":{"user_name":12345678901234567890}}'
  expect(fit.trueArguments('act', written)).toBe(meant)
  expect(fit.trueArguments('act', '{"$filter":"x"')).toBe('{"$filter":"x"')
  const args = { $filter: 'x', free: { 'user name': 1 }, 'user name': { 'first name': 'Ana' } }
  expect(fit.wireArguments('act', args)).toEqual({
    [other]: 'x',
    free: { 'user name': 1 },
    user_name: { first_name: 'Ana' },
  })
})

test('names of tools that the provider refuses come back as they are', () => {
  const names = ['files.read', 'files_read', 'a'.repeat(70), 'пиши', '7up']
  const { sent, trueName, wireName } = fitTools(
    names.map(name => tool({ type: 'object', properties: {} }, name)),
    PROVIDER_RULES.openai_chat,
  )
  expect(sent.map(({ name }) => name)).toEqual([
    expect.stringMatching(/^files_read_\w{6}$/),
    'files_read',
    expect.stringMatching(/^a{57}_\w{6}$/),
    expect.stringMatching(/^tool_\w{6}$/),
    '7up',
  ])
  expect(sent.map(({ name }) => trueName(name))).toEqual(names)
  expect(names.map(wireName)).toEqual(sent.map(({ name }) => name))
})

test.each(Object.values(PROVIDER_RULES))('$wire gets ids of calls that it takes, each its own', rules => {
  const { wireCallId } = fitTools([], rules)
  const long = 'toolu_'.padEnd(rules.longestCallId === Number.POSITIVE_INFINITY ? 200 : rules.longestCallId, 'x')
  expect([wireCallId('call_1'), wireCallId(long)]).toEqual(['call_1', long])
  const odd = ['fn.run:0', 'fn_run_0', 'ключ', `${long}y`, `${long}z`, `${long.slice(0, -1)}:`, `${long}.`]
  const sent = odd.map(wireCallId)
  expect(new Set(sent).size).toBe(odd.length)
  for (const id of sent) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/)
  expect(Math.max(...sent.map(id => id.length))).toBeLessThanOrEqual(rules.longestCallId)
  expect(odd.map(wireCallId)).toEqual(sent)
})

test('tools beyond the number that the provider takes are left out', () => {
  const tools = Array.from({ length: 130 }, (_, index) => tool({ type: 'object', properties: {} }, `t${index}`))
  expect(fitTools(tools, PROVIDER_RULES.openai_chat).unfit.map(({ tool: name }) => name)).toEqual(['t128', 't129'])
  expect(fitTools(tools, PROVIDER_RULES.anthropic).unfit).toEqual([])
})

test('Google gets the keywords, formats and values that it knows', () => {
  const schema = {
    type: 'object',
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    properties: {
      when: { type: 'string', format: 'uri', minLength: 3 },
      day: { type: 'string', format: 'date-time' },
      how: { type: 'string', enum: ['', 'fast', null] },
      none: { type: 'string', enum: [''] },
      fixed: { const: 'x' },
    },
    required: ['when', 'gone'],
  }
  expect(fitted(schema, 'google')).toEqual({
    type: 'object',
    properties: {
      when: { type: 'string' },
      day: { type: 'string', format: 'date-time' },
      how: { type: 'string', enum: ['fast'] },
      none: { type: 'string' },
      fixed: { enum: ['x'] },
    },
    required: ['when'],
  })
})

test('OpenAI gets no pattern that looks around', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string', pattern: '^(?!x).+$' }, b: { type: 'string', pattern: '^(?:x|y)$' } },
  }
  expect(fitted(schema, 'openai_chat')).toEqual({
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string', pattern: '^(?:x|y)$' } },
  })
  expect(fitted(schema)).toBe(schema)
})

test.each([
  ['anthropic.messages', 'anthropic'],
  ['vertex.anthropic.messages', 'anthropic'],
  ['google.generative-ai', 'google'],
  ['google.vertex.chat', 'google'],
  ['openai.chat', 'openai_chat'],
  ['azure.responses', 'openai_responses'],
  ['openai-compatible.chat', 'compatible'],
  ['mock-provider', 'compatible'],
])('the provider %s speaks %s', (provider, wire) => {
  expect(wireOf(provider)).toBe(wire)
})
