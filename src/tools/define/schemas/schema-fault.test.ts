import { expect, test } from 'vitest'
import type { JsonObject } from '../../../core/text/json.ts'
import { schemaFault } from './schema-fault.ts'

test.each<[string, JsonObject, string]>([
  [
    'an unknown type',
    { properties: { a: { type: 'text' } } },
    'schema.properties.a.type is "text", which is not a JSON Schema type',
  ],
  [
    'an unknown type among others',
    { anyOf: [{ type: ['string', 'any'] }] },
    'schema.anyOf[0].type is ["string","any"], which is not',
  ],
  ['a broken pattern', { items: { pattern: '(' } }, 'schema.items.pattern cannot be used: Invalid regular expression'],
  ['a broken pattern of names', { patternProperties: { '[': {} } }, 'schema.patternProperties["["] cannot be used'],
  ['properties that are none', { properties: [] }, 'schema.properties must be an object'],
])('a schema with %s is found out', (_, schema, fault) => {
  expect(schemaFault(schema)).toContain(fault)
})

test('what only looks like a fault is none', () => {
  const schema: JsonObject = {
    type: ['object', 'null'],
    properties: { type: { type: 'string', default: '(' }, pattern: { const: { type: 'x', pattern: '(' } } },
    additionalProperties: false,
    examples: [{ type: 'x' }],
  }
  expect(schemaFault(schema)).toBeNull()
})
