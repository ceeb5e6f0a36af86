import { isDeepStrictEqual } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../text/json.ts'
import { NotPlainError, plain } from './plain.ts'

class Account {
  readonly #secret = 1
  open = true
  get secret(): number {
    return this.#secret
  }
}

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withSparseArray: true,
  withTypedArray: true,
  withObjectString: true,
})

test('P4: what leaves is the same after it was written and read', () => {
  fc.assert(
    fc.property(fc.oneof(anything, fc.jsonValue()), value => {
      const made = orNull(value)
      if (made === null) return
      expect(isDeepStrictEqual(JSON.parse(JSON.stringify(made.value)), made.value)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

function orNull(value: unknown): { readonly value: unknown } | null {
  try {
    return { value: plain(value) }
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(NotPlainError)
    return null
  }
}

test('a value of JSON leaves as it is, and cannot be changed in place any more', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noNegativeZero: true } as object), given => {
      const value = JSON.parse(JSON.stringify(given)) as Json
      const made = plain(value)
      expect(made).toStrictEqual(value)
      expect(isFrozenThrough(made)).toBe(true)
    }),
  )
})

test.each<readonly [Json, Json]>([
  ['a\ud83d', 'a\ufffd'],
  [{ '\ud83d': ['\udc4d', '👍'] }, { '\ufffd': ['\ufffd', '👍'] }],
])('P8: half a character leaves as a mark, so that no provider refuses the thread: %j', (given, mended) => {
  expect(plain(given)).toStrictEqual(mended)
})

function isFrozenThrough(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isFrozenThrough)
}

test('a value that left before is taken as it is, also inside of another', () => {
  const args = plain({ to: ['production'] })
  expect(plain(args)).toBe(args)
  expect(plain({ args }).args).toBe(args)
})

test('what its maker changes later does not change what left', () => {
  const state = { count: 1, seen: ['a'] }
  const made = plain(state)
  state.count = 2
  state.seen.push('b')
  expect(made).toEqual({ count: 1, seen: ['a'] })
})

const circle: { inner?: unknown } = {}
circle.inner = circle

test.each<readonly [string, unknown, string]>([
  [
    'a number that is not finite',
    { limit: Number.POSITIVE_INFINITY },
    'value.limit is Infinity, which JSON cannot hold.',
  ],
  ['no number', [1, Number.NaN], 'value[1] is NaN, which JSON cannot hold.'],
  ['a bigint', { a: { b: 12n } }, 'value.a.b is a bigint, which JSON cannot hold.'],
  ['a function', { 'on click': () => 1 }, 'value["on click"] is a function, which JSON cannot hold.'],
  ['nothing', undefined, 'value is undefined, which JSON cannot hold.'],
  ['nothing in a list', [undefined], 'value[0] is undefined, which JSON cannot hold.'],
  // biome-ignore lint/suspicious/noSparseArray: the hole is the point
  ['a hole in a list', [1, , 2], 'value[1] is undefined, which JSON cannot hold.'],
  ['a symbol', { at: Symbol('x') }, 'value.at is a symbol, which JSON cannot hold.'],
  ['a map', { seen: new Map() }, 'value.seen is a Map, which JSON cannot hold.'],
  ['an instance of a class', [new Account()], 'value[0] is a Account, which JSON cannot hold.'],
  ['a circle', circle, `value${'.inner'.repeat(111)} is nested too deeply.`],
  [
    'a field that cannot be read',
    {
      get broken() {
        throw new Error('gone')
      },
    },
    'value cannot be read: gone.',
  ],
  [
    'a word for JSON that throws',
    {
      toJSON() {
        throw new Error('no')
      },
    },
    'value cannot be written: no.',
  ],
])('%s is refused with its path', (_, value, message) => {
  expect(() => plain(value)).toThrow(message)
})

test('what JSON itself says is kept: absent fields, -0 and toJSON', () => {
  const made = plain({ absent: undefined, zero: -0, at: new Date(0), own: { toJSON: () => ({ text: 'x' }) } })
  expect(made).toStrictEqual({ zero: 0, at: '1970-01-01T00:00:00.000Z', own: { text: 'x' } })
})

test('a word for JSON that is itself asks for no second one', () => {
  const self = { text: 'x', toJSON: () => self }
  expect(() => plain(self)).toThrow('value.toJSON is a function, which JSON cannot hold.')
})

test('a key __proto__ stays a key', () => {
  const made = plain(JSON.parse('{"__proto__":{"polluted":true},"a":1}'))
  expect(JSON.stringify(made)).toBe('{"__proto__":{"polluted":true},"a":1}')
  expect(Object.isFrozen(made)).toBe(true)
})

test('an object of another realm is an object', () => {
  expect(plain(runInContext('({ a: [1] })', createContext()))).toStrictEqual({ a: [1] })
})
