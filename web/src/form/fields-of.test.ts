import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../api/documents.ts'
import { type Field, fieldsOf, soleFieldOf } from './fields-of.ts'
import { firstValue } from './first-value.ts'
import { readJson, readNumber } from './read-value.ts'

function schemaOf(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...more }
}

function kinds(schema: JsonObject, value: Json): string[] | null {
  return fieldsOf(schema, value)?.map(({ name, kind }) => `${name}: ${kind}`) ?? null
}

test('each simple type has its field, and everything else is edited as JSON', () => {
  const schema = schemaOf({
    name: { type: 'string' },
    note: { type: 'string', maxLength: 5_000 },
    amount: { type: 'number' },
    count: { type: 'integer' },
    sure: { type: 'boolean' },
    colour: { enum: ['red', 'green'] },
    address: schemaOf({ city: { type: 'string' } }),
    tags: { type: 'array', items: { type: 'string' } },
    either: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    maybe: { type: ['string', 'null'] },
  })
  const value = {
    name: 'a',
    note: '',
    amount: 1.5,
    count: 2,
    sure: true,
    colour: 'red',
    address: { city: 'x' },
    more: 1,
  }
  expect(kinds(schema, value)).toEqual([
    'name: text',
    'note: long-text',
    'amount: number',
    'count: number',
    'sure: boolean',
    'colour: choice',
    'address: group',
    'tags: list',
    'either: json',
    'maybe: json',
    'more: json',
  ])
})

test('a value of another type than its schema says is edited as JSON, so it stays as it is', () => {
  const schema = schemaOf({ name: { type: 'string' }, amount: { type: 'number' }, colour: { enum: ['red', 'green'] } })
  expect(kinds(schema, { name: 7, amount: '250', colour: 'blue' })).toEqual([
    'name: json',
    'amount: json',
    'colour: json',
  ])
  expect(kinds(schema, { amount: 1e300 * 1e300 })).toContain('amount: json')
  expect(kinds(schema, { amount: 2 ** 60 })).toContain('amount: json')
})

test('texts of a known format, lists and keys of one kind have fields of their own', () => {
  const schema = schemaOf({
    email: { type: 'string', format: 'email' },
    page: { type: 'string', format: 'uri' },
    due: { type: 'string', format: 'date' },
    begins: { type: 'string', format: 'date-time' },
    places: { type: 'array', items: { enum: ['north', 'south'] } },
    sizes: { type: 'array', items: { type: 'integer' } },
    limits: { type: 'object', additionalProperties: { type: 'number' } },
    free: { type: 'object' },
    rows: { type: 'array', items: schemaOf({ a: { type: 'string' } }) },
    pair: { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'string' } },
  })
  expect(kinds(schema, {})).toEqual([
    ...['email: email', 'page: url', 'due: date', 'begins: date-time', 'places: choices', 'sizes: list'],
    ...['limits: entries', 'free: json', 'rows: json', 'pair: json'],
  ])
  expect(soleFieldOf({ type: 'array', items: { enum: ['a', 'b'] } }, undefined, 'Answer')).toMatchObject({
    kind: 'choices',
    path: '',
  })
})

test('F1: a value that such a field would not show as it is has a plainer one', () => {
  const schema = schemaOf({
    due: { type: 'string', format: 'date' },
    begins: { type: 'string', format: 'date-time' },
    places: { type: 'array', items: { enum: ['north', 'south'] } },
    sizes: { type: 'array', items: { type: 'integer' } },
    notes: { type: 'array', items: { type: 'string' } },
    days: { type: 'array', items: { type: 'string', format: 'date' } },
    limits: { type: 'object', additionalProperties: { type: 'number' } },
  })
  const value = {
    ...{ due: '2026-02-30', begins: '2026-01-01T10:00:00.123Z', places: ['north', 'west'], sizes: [1, 1e300] },
    ...{ notes: ['a', 'b\nc'], days: ['2026-01-01', 'monday'], limits: { a: '1' } },
  }
  expect(kinds(schema, value)).toEqual([
    ...['due: text', 'begins: text', 'places: json', 'sizes: json', 'notes: list', 'days: list', 'limits: json'],
  ])
  const items = fieldsOf(schema, value)?.flatMap(field => (field.kind === 'list' ? [field.item.kind] : []))
  expect(items).toEqual(['long-text', 'text'])
})

test('the path of a field is the one that a refusal names', () => {
  const schema = schemaOf({ a: schemaOf({ 'b c': { type: 'string' } }), 'x.y': { type: 'string' } })
  const fields = fieldsOf(schema, {}) ?? []
  const inner = fields.flatMap(field => (field.kind === 'group' ? field.fields : []))
  expect([...fields, ...inner].map(({ path }) => path)).toEqual(['a', '["x.y"]', 'a["b c"]'])
})

test('a form starts with the defaults of its schema, and makes no object that may be left out', () => {
  const window = schemaOf({ hours: { type: 'integer', default: 2 }, why: { type: 'string' } })
  const schema = schemaOf({ name: { default: 'shop' }, window, other: window, note: {} }, { required: ['window'] })
  expect(firstValue(schema)).toEqual({ name: 'shop', window: { hours: 2 } })
  expect(firstValue({ type: 'boolean', default: false })).toBe(false)
  expect(firstValue(null)).toBeUndefined()
})

test('a schema without fields is one JSON text: recursion, patterns, thousands of properties, none at all', () => {
  const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`p${n}`, { type: 'string' }]))
  for (const schema of [null, { $ref: '#/$defs/a' }, schemaOf({}, { patternProperties: {} }), schemaOf(many), {}])
    expect(fieldsOf(schema, {})).toBeNull()
  expect(fieldsOf(schemaOf({}), 'text')).toBeNull()
})

test('F2: whatever the schema, each key of the value has a field', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (value, schema) => {
      const fields = fieldsOf(schema as JsonObject, value as Json)
      if (fields) expect(fields.map(({ name }: Field) => name)).toEqual(expect.arrayContaining(Object.keys(value)))
    }),
  )
})

test('F1: a number is kept exactly or refused', () => {
  expect(readNumber(' 1.50 ', false)).toEqual({ value: 1.5 })
  expect(readNumber('7', true)).toEqual({ value: 7 })
  for (const text of ['1e400', '-0', '12345678901234567890', '', 'a', '0x10', '1_000', '١'])
    expect(readNumber(text, false)).toHaveProperty('fault')
  expect(readNumber('1.5', true)).toHaveProperty('fault')
  expect(readJson('{"a": [1, "12345678901234567890"]}')).toEqual({ value: { a: [1, '12345678901234567890'] } })
  for (const text of ['{"a": 1e400}', '[12345678901234567890]', '{', '']) expect(readJson(text)).toHaveProperty('fault')
})
