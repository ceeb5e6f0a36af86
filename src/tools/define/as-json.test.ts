import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asJson } from './as-json.ts'

test('JSON stays as it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      // JSON has no negative zero.
      expect(JSON.stringify(asJson(value))).toBe(JSON.stringify(value))
    }),
  )
})

test('what JSON.stringify has a rule for follows that rule', () => {
  const value = { at: new Date(0), gone: undefined, list: [undefined, Number.NaN], boxed: Object('x') }
  expect(asJson(value)).toEqual(JSON.parse(JSON.stringify(value)))
  expect(asJson(undefined)).toBeNull()
})

test('an error keeps its name and message', () => {
  expect(asJson({ error: new TypeError('no') })).toEqual({ error: { name: 'TypeError', message: 'no' } })
})

test('the same value twice is no circle', () => {
  const same = { a: 1 }
  expect(asJson([same, same])).toEqual([{ a: 1 }, { a: 1 }])
})

const circle: { self?: object } = {}
circle.self = [circle]

test.each<[string, unknown, string]>([
  ['a function', { a: [() => 1] }, 'result.a[0] is a function'],
  ['a bigint', { id: 7n }, 'result.id is a bigint'],
  ['a symbol', Symbol('x'), 'result is a symbol'],
  ['a circle', circle, 'result.self[0] is a reference to what contains it'],
  ['a Map', { m: new Map() }, 'result.m is a Map'],
  ['a promise', [Promise.resolve(1)], 'result[0] is a Promise that was not awaited'],
  ['bytes', new Uint8Array(3), 'result is bytes'],
])('%s is refused with its place', (_, value, message) => {
  expect(() => asJson(value)).toThrow(message)
})

test('a value that is nested without end is refused', () => {
  let deep: unknown = 1
  for (let level = 0; level < 100_000; level++) deep = [deep]
  expect(() => asJson(deep)).toThrow('nested too deeply')
})

test('a key named __proto__ is only a key', () => {
  const read = asJson(JSON.parse('{"__proto__": {"polluted": true}}'))
  expect(JSON.stringify(read)).toBe('{"__proto__":{"polluted":true}}')
  expect(read).not.toHaveProperty('polluted')
})
