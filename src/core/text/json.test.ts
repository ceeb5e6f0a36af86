import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, copyJson, isJsonObject, isSameJson, isTooDeep, type Json, type JsonObject } from './json.ts'

const json = fc.jsonValue() as fc.Arbitrary<Json>

/** What comes back of a value that was written down. */
function stored(value: Json): Json {
  return JSON.parse(JSON.stringify(value)) as Json
}

/** The same value with the keys of every object the other way round. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).toReversed()
  return Object.fromEntries(entries.map(([key, inner]) => [key, reversed(inner)]))
}

test('canonical JSON does not depend on the order of keys', () => {
  fc.assert(
    fc.property(json, value => {
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value))
    }),
  )
})

test('values are the same if their canonical texts are', () => {
  const odd = fc.anything({ withSparseArray: true, maxDepth: 2 }) as fc.Arbitrary<Json>
  const pair = fc.oneof(
    fc.tuple(odd, odd),
    json.map((value): [Json, Json] => [value, reversed(stored(value))]),
    fc.constantFrom<[Json, Json]>([[], {}], [[null], {}], [{ a: null }, { b: null }], [['1'], { 0: '1' }]),
  )
  fc.assert(
    fc.property(pair, ([one, other]) => {
      expect(isSameJson(one, other)).toBe(canonicalJson(one) === canonicalJson(other))
    }),
  )
})

test('a copy is the same value, and shares nothing that can be changed', () => {
  fc.assert(
    fc.property(json, given => {
      const value = stored(given)
      const copy = copyJson(value)
      expect(copy).toStrictEqual(value)
      expect(sharesWith(copy, value)).toBe(false)
    }),
  )
  const odd = JSON.parse('{"__proto__": {"polluted": true}}') as Json
  expect(JSON.stringify(copyJson(odd))).toBe('{"__proto__":{"polluted":true}}')
})

function sharesWith(one: Json, other: Json): boolean {
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) return false
  if (one === other) return true
  const inner = Object.values(other) as Json[]
  return (Object.values(one) as Json[]).some((value, index) => sharesWith(value, inner[index] ?? null))
}

test('canonical JSON is JSON of the same value', () => {
  fc.assert(
    fc.property(json, value => {
      expect(JSON.parse(canonicalJson(value))).toEqual(stored(value))
    }),
  )
})

test('values have the same canonical JSON exactly when they are the same', () => {
  const few = fc.jsonValue({ maxDepth: 1, stringUnit: fc.constantFrom('a', 'b') }) as fc.Arbitrary<Json>
  fc.assert(
    fc.property(few, few, (one, other) => {
      expect(canonicalJson(one) === canonicalJson(other)).toBe(isDeepStrictEqual(stored(one), stored(other)))
    }),
    { numRuns: 2_000 },
  )
})

test('canonical JSON survives storing', () => {
  fc.assert(
    fc.property(json, value => {
      expect(canonicalJson(stored(value))).toBe(canonicalJson(value))
    }),
  )
})

test.each<readonly [Json, string]>([
  [{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
  [{ '10': 1, '9': 2, a: 3, B: 4 }, '{"10":1,"9":2,"B":4,"a":3}'],
  [
    { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: 7 },
    '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
  ],
  [1e21, '1e+21'],
  [-0, '0'],
  ['a\ud83d', '"a\\ud83d"'],
  [JSON.parse('{"__proto__":{"x":1}}'), '{"__proto__":{"x":1}}'],
])('%j is written as %s', (value, text) => {
  expect(canonicalJson(value)).toBe(text)
})

test('an object is one that is neither null nor a list', () => {
  const values: (Json | undefined)[] = [{}, { a: 1 }, [], null, 'text', 1, true, undefined]
  expect(values.map(value => isJsonObject(value))).toEqual([true, true, ...Array(6).fill(false)])
  expect(isJsonObject({} as JsonObject)).toBe(true)
})

test.each([
  [0, false],
  [100, false],
  [101, true],
  [200_000, true],
])('a value of %i levels is too deep: %j', (levels, expected) => {
  let list: Json = 1
  let object: Json = 1
  for (let level = 0; level < levels; level += 1) {
    list = [list]
    object = { a: object }
  }
  expect([isTooDeep(list), isTooDeep(object)]).toEqual([expected, expected])
})
