import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../core/text/json.ts'
import { validateJson } from './json-schema.ts'

async function issues(schema: JsonObject, value: Json): Promise<string> {
  const checked = await validateJson(schema, value)
  return checked.ok ? 'none' : checked.issues
}

const ofProperty = (schema: Json, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { a: schema },
  ...more,
})

test.each<[string, JsonObject, Json, string]>([
  ['a value that fits', ofProperty({ type: 'string' }), { a: 'x' }, 'none'],
  ['a wrong type', ofProperty({ type: 'number' }), { a: '1' }, 'arguments.a: must be a number, not a string'],
  [
    'one of several types',
    ofProperty({ type: ['string', 'null'] }),
    { a: 1 },
    'arguments.a: must be a string or null, not a number',
  ],
  ['a fraction', ofProperty({ type: 'integer' }), { a: 1.5 }, 'arguments.a: must be a whole number, not a number'],
  ['the whole value', { type: 'object' }, [], 'arguments: must be an object, not an array'],
  ['a missing property', ofProperty({}, { required: ['a'] }), {}, 'arguments.a: is required'],
  [
    'an unknown property',
    ofProperty({}, { additionalProperties: false }),
    { b: 1 },
    'arguments.b: is not allowed; the properties are a',
  ],
  ['a choice', ofProperty({ enum: ['x', 'y'] }), { a: 'z' }, 'arguments.a: must be one of "x", "y"'],
  ['a constant', ofProperty({ const: 'x' }), { a: 'z' }, 'arguments.a: must be "x"'],
  ['a number too small', ofProperty({ minimum: 3 }), { a: 1 }, 'arguments.a: must be at least 3'],
  ['an empty text', ofProperty({ minLength: 1 }), { a: '' }, 'arguments.a: must not be empty'],
  ['a pattern', ofProperty({ pattern: '^x' }), { a: 'y' }, 'arguments.a: must match the pattern ^x'],
  ['a format', ofProperty({ format: 'date' }), { a: 'y' }, 'arguments.a: must have the format date'],
  [
    'an item',
    ofProperty({ items: { type: 'string' } }),
    { a: ['x', 2] },
    'arguments.a[1]: must be a string, not a number',
  ],
  ['a name that is no word', { additionalProperties: false }, { 'a b\n': 1 }, 'arguments["a b\\n"]: is not allowed'],
  [
    'a name that needs escapes',
    { properties: { 'a/~b': { type: 'null' } } },
    { 'a/~b': 1 },
    'arguments["a/~b"]: must be null, not a number',
  ],
  [
    'a reference',
    { $defs: { n: { minimum: 2 } }, ...ofProperty({ $ref: '#/$defs/n' }) },
    { a: 1 },
    'arguments.a: must be at least 2',
  ],
  [
    'alternatives of type',
    ofProperty({ anyOf: [{ type: 'string' }, { type: 'null' }] }),
    { a: 1 },
    'arguments.a: must be a string or null, not a number',
  ],
])('the message about %s says where and what', async (_, schema, value, message) => {
  expect(await issues(schema, value)).toBe(message)
})

test('of alternatives told apart by a constant, only the one that was meant is told about', async () => {
  const shape = (kind: string, needs: string) => ({
    type: 'object',
    properties: { kind: { const: kind } },
    required: ['kind', needs],
  })
  const schema = ofProperty({ oneOf: [shape('card', 'number'), shape('cash', 'currency')] })
  expect(await issues(schema, { a: { kind: 'cash' } })).toBe('arguments.a.currency: is required')
})

test('alternatives that may all have been meant are all told about', async () => {
  const schema = ofProperty({ anyOf: [{ required: ['x'] }, { required: ['y'] }] })
  expect(await issues(schema, { a: {} })).toBe(
    'arguments.a: must fit one of its forms: (arguments.a.x: is required) or (arguments.a.y: is required)',
  )
})

test('a value that fits two forms of which it may fit one is told so', async () => {
  expect(await issues(ofProperty({ oneOf: [{ type: 'number' }, { minimum: 0 }] }), { a: 1 })).toBe(
    'arguments.a: fits more than one of the allowed forms',
  )
})

test('every issue is told, up to a number that a reader can take', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `p${index}`)
  const told = await issues({ required: names }, {})
  expect(told.split('; ')).toHaveLength(9)
  expect(told).toMatch(/and 12 more$/)
})

test('the root is called what the caller calls it', async () => {
  expect(await validateJson({ type: 'string' }, 1, 'answer')).toEqual({
    ok: false,
    issues: 'answer: must be a string, not a number',
  })
})

test('a schema that cannot be applied fits nothing', async () => {
  expect(await issues(ofProperty({ pattern: '(' }), { a: 'x' })).toMatch(
    /^arguments: cannot be checked, because the schema/,
  )
  expect(await issues(ofProperty({ $ref: '#/nowhere' }), { a: 'x' })).not.toBe('none')
})

test('a schema is left as it was, also when it is frozen', async () => {
  const schema = Object.freeze(ofProperty(Object.freeze({ type: 'string' })))
  expect(await issues(schema, { a: 'x' })).toBe('none')
  expect(Reflect.ownKeys(schema)).toEqual(['type', 'properties'])
})

test('a name that every object has is checked like any other', async () => {
  const value = JSON.parse('{"__proto__": 1, "constructor": 2}')
  expect(await issues({ type: 'object', additionalProperties: false }, value)).toBe(
    'arguments.__proto__: is not allowed; arguments.constructor: is not allowed',
  )
})

test('no value makes it throw, and every message is one line', async () => {
  const schema = ofProperty({
    anyOf: [
      { type: 'string', maxLength: 2 },
      { type: 'array', items: { type: 'integer' }, uniqueItems: true },
    ],
  })
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async value => {
      expect(await issues({ ...schema, additionalProperties: false }, value as JsonObject)).not.toContain('\n')
    }),
  )
})
