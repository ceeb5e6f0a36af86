import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../core/text/json.ts'
import { validateJson } from '../json-schema.ts'
import { schemaFault } from './schema-fault.ts'
import { tryWithin } from './try-within.ts'

const EVIL = `${'a'.repeat(40)}!`

async function issuesOf(schema: JsonObject, value: Json): Promise<string | null> {
  const checked = await validateJson(schema, value, 'value')
  return checked.ok ? null : checked.issues
}

test.each([
  [{ type: 'string', pattern: '(a+)+$' }, EVIL, 'value: must match the pattern (a+)+$'],
  [{ type: 'string', pattern: '^(a|a)*$' }, EVIL, 'value: must match the pattern ^(a|a)*$'],
  [{ type: 'string', pattern: '^a+$' }, 'aaa', null],
  [{ type: 'string', pattern: '^a+$', format: 'email' }, 'aaa', 'value: must match the pattern ^a+$'],
  [{ type: 'string', pattern: '@', format: 'email' }, 'a@example.org', null],
  [
    { properties: { pattern: { type: 'string', pattern: '^x$' } } },
    { pattern: 'y' },
    'value.pattern: must match the pattern ^x$',
  ],
  [{ anyOf: [{ pattern: '^x$' }, { type: 'number' }] }, 1, null],
  [{ propertyNames: { pattern: '^[a-z]+$' } }, { A: 1 }, 'A'],
  [{ const: { pattern: '(' } }, { pattern: '(' }, null],
] as const)('patterns of %j on %j: %j', async (schema, value, expected) => {
  const issues = await issuesOf(schema as unknown as JsonObject, value as Json)
  if (expected === null) expect(issues).toBe(null)
  else expect(issues).toContain(expected)
})

test.each([
  [{ patternProperties: { '^(a+)+$': { type: 'number' } } }, { [EVIL]: 'x' }, null],
  [{ patternProperties: { '^(a+)+$': { type: 'number' } } }, { aaa: 'x' }, 'value.aaa: must be a number'],
  [{ patternProperties: { '^x': true, x$: { type: 'number' } }, additionalProperties: false }, { x: 1, xy: 'b' }, null],
  [{ patternProperties: { '^x': true }, additionalProperties: false }, { x: 1, y: 2 }, 'value.y: is not allowed'],
  [
    { items: { patternProperties: { '^[.*]$': { pattern: '^(b+)+$' } } } },
    [{ '.': 'c' }],
    'must match the pattern ^(b+)+$',
  ],
] as const)('patterns of names in %j on %j: %j', async (schema, value, expected) => {
  const issues = await issuesOf(schema as unknown as JsonObject, value as unknown as Json)
  if (expected === null) expect(issues).toBe(null)
  else expect(issues).toContain(expected)
})

test('a schema with patterns of names is checked anew for each value', async () => {
  const schema: JsonObject = { patternProperties: { '^n': { type: 'number' } } }
  expect(await issuesOf(schema, { a: 'x' })).toBe(null)
  expect(await issuesOf(schema, { n: 'x' })).toContain('value.n')
  expect(await issuesOf(schema, { n: 1 })).toBe(null)
})

test('what only JavaScript can run has a deadline, and is not found if it is late', async () => {
  expect(tryWithin('a(?=b)', 'ab')).toBe(true)
  expect(tryWithin('^(?=a)(a+)+$', EVIL)).toBe(false)
  expect(await issuesOf({ type: 'string', pattern: '^(?=a)(a+)+$' }, EVIL)).toContain('must match the pattern')
  expect(await issuesOf({ type: 'string', pattern: '^(?!b)a' }, 'a')).toBe(null)
})

test('such a pattern in a schema is a fault that says what to write', () => {
  expect(schemaFault({ properties: { name: { pattern: '^(?!b)a' } } })).toMatch(
    /name\.pattern cannot be used: .* looks around: write/,
  )
})
