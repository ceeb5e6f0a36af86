import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { differences } from './differences.ts'
import { canonicalJson, type Json, type JsonObject } from './json.ts'

test.each([
  ['a value that changed', { a: 1 }, { a: 2 }, [{ path: 'a', was: 1, is: 2 }]],
  ['a value deep inside', { a: { b: { c: 'x' } } }, { a: { b: { c: 'y' } } }, [{ path: 'a.b.c', was: 'x', is: 'y' }]],
  ['what came', {}, { a: { b: 1 } }, [{ path: 'a', was: null, is: { b: 1 } }]],
  ['what went', { a: [] }, {}, [{ path: 'a', was: [], is: null }]],
  ['a value of another type', { a: 1 }, { a: '1' }, [{ path: 'a', was: 1, is: '1' }]],
  ['members of a list', { a: [1, 2] }, { a: [1, 3] }, [{ path: 'a[1]', was: 2, is: 3 }]],
  ['a list that grew', { a: [1] }, { a: [1, 2] }, [{ path: 'a[1]', was: null, is: 2 }]],
  ['an object in a list', { a: [{ b: 1 }] }, { a: [{ b: 2 }] }, [{ path: 'a[0].b', was: 1, is: 2 }]],
  ['a list that became an object', { a: [] }, { a: {} }, [{ path: 'a', was: [], is: {} }]],
  ['a list that became an object like it', { a: [1] }, { a: { 0: 1 } }, [{ path: 'a', was: [1], is: { 0: 1 } }]],
  ['two places', { a: 1, b: 2, c: 3 }, { a: 0, b: 2, c: 0 }, [{ path: 'a' }, { path: 'c' }]],
  ['a key with a dot', { 'a.b': 1, a: { b: 1 } }, { 'a.b': 2, a: { b: 1 } }, [{ path: '["a.b"]' }]],
  ['a key with a bracket', { a: { 'b[0]': 1 } }, { a: { 'b[0]': 2 } }, [{ path: 'a["b[0]"]' }]],
  ['a key of a number', { a: { 0: 1 } }, { a: { 0: 2 } }, [{ path: 'a["0"]' }]],
  ['an empty key', { '': 1 }, { '': 2 }, [{ path: '[""]' }]],
])('of %s it is told where', (_what, was, is, expected) => {
  expect(differences(was as JsonObject, is as unknown as JsonObject)).toMatchObject(expected)
})

describe('names that every object has', () => {
  const named = (name: string, value: Json): JsonObject =>
    JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`)
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']

  test.each(names)('%s that came was not there before', name => {
    expect(differences({}, named(name, {}))).toEqual([{ path: name, was: null, is: {} }])
  })

  test.each(names)('%s that went is not there any more', name => {
    expect(differences(named(name, 'x'), {})).toEqual([{ path: name, was: 'x', is: null }])
  })

  test.each(names)('%s inside is looked into', name => {
    const [was, is] = [named(name, { a: 1 }), named(name, { a: 2 })]
    expect(differences(was, is)).toEqual([{ path: `${name}.a`, was: 1, is: 2 }])
  })
})

test('absent and null are the same', () => {
  expect(differences({ a: null }, {})).toEqual([])
})

const key = fc.constantFrom('a', 'b', 'order', 'a.b', '', '0', 'x[0]', '"', '__proto__', 'constructor', 'toString')
const { value } = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(0, 1, 'x', 'y', '', true, false),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    fc.array(tie('value'), { maxLength: 4 }),
  ),
}))
/** As it comes from a store. Without `null`, for that is the same as absent. */
const objects = fc
  .dictionary(key, value, { maxKeys: 4 })
  .map(object => JSON.parse(JSON.stringify(object)) as JsonObject)

/** The same value with the keys of its objects in another order. */
function turned(json: Json): Json {
  if (Array.isArray(json)) return json.map(turned)
  if (typeof json !== 'object' || json === null) return json
  const entries = Object.entries(json).toReversed()
  return JSON.parse(`{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${JSON.stringify(turned(inner))}`)}}`)
}

/** What is at a path, or `null` where nothing is. */
function at(path: string, json: Json): Json {
  const steps = path.matchAll(/(?:^|\.)([\p{L}_$][\p{L}\p{N}_$-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/gu)
  let found: Json = json
  for (const [, name, index, quoted] of steps) {
    const step = name ?? index ?? (JSON.parse(quoted!) as string)
    found = Object.hasOwn(found as object, step) ? (found as JsonObject)[step]! : null
  }
  return found
}

test('equal values have none, whatever order their keys were written in', () => {
  fc.assert(
    fc.property(objects, object => {
      expect(differences(object, turned(object) as JsonObject)).toEqual([])
    }),
  )
})

test('each place that is told really differs, in just the way that is told', () => {
  fc.assert(
    fc.property(objects, objects, (was, is) => {
      for (const difference of differences(was, is)) {
        expect(canonicalJson(difference.was)).not.toBe(canonicalJson(difference.is))
        expect(at(difference.path, was)).toEqual(difference.was)
        expect(at(difference.path, is)).toEqual(difference.is)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('values that are not equal have some, and no place is told twice', () => {
  fc.assert(
    fc.property(objects, objects, (was, is) => {
      const paths = differences(was, is).map(({ path }) => path)
      expect(paths.length > 0).toBe(canonicalJson(was) !== canonicalJson(is))
      expect(new Set(paths).size).toBe(paths.length)
    }),
    { numRuns: 2_000 },
  )
})

test('of many places the first twenty are told', () => {
  const many = (value: number) => Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, value]))
  const paths = differences(many(1), many(2)).map(({ path }) => path)
  expect(paths).toEqual(Array.from({ length: 20 }, (_, n) => `k${n}`))
})
