import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type KeptJson, keptJson } from './kept-json.ts'

function kept(value: unknown, most = 10_000): KeptJson {
  return keptJson(value, { root: 'result', most })
}

test('JSON is kept as it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      // JSON has no negative zero.
      expect(kept(value)).toEqual({ value: JSON.parse(JSON.stringify(value)), lost: [] })
    }),
  )
})

test('P11: whatever a tool returns is kept as JSON, and nothing throws', () => {
  fc.assert(
    fc.property(fc.anything({ withBigInt: true, withMap: true, withSet: true, withDate: true }), value => {
      const { value: json } = kept(value)
      expect(JSON.parse(JSON.stringify(json))).toStrictEqual(json)
    }),
  )
})

test.each<[string, unknown, unknown]>([
  ['a bigint is text', { payment_id: 12n }, { payment_id: '12' }],
  ['a date is ISO text', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
  ['a Map is a list of pairs', new Map([['a', new Set([1])]]), [['a', [1]]]],
  ['what is undefined is left out', { a: undefined, b: [undefined] }, { b: [null] }],
  ['an error is its name and message', [new TypeError('no')], [{ name: 'TypeError', message: 'no' }]],
  ['toJSON counts', new URL('https://example.com/'), 'https://example.com/'],
  ['the same value twice is no circle', ((same: object) => [same, same])({ a: 1 }), [{ a: 1 }, { a: 1 }]],
])('%s, and nothing is lost', (_, value, json) => {
  expect(kept(value)).toEqual({ value: json, lost: [] })
})

class Payment {
  readonly #secret = 7
  id = 1
  get total(): number {
    return this.#secret
  }
}

const circle: { self?: object } = {}
circle.self = [circle]

test.each<[unknown, unknown, string]>([
  [{ a: [() => 1] }, { a: [null] }, 'result.a[0] is a function'],
  [{ share: Number.NaN }, { share: null }, 'result.share is NaN'],
  [new Response('x'), null, 'result is a Response, of which nothing could be kept'],
  [(function* () {})(), null, 'result is a Generator, of which nothing could be kept'],
  [{ p: new Payment() }, { p: { id: 1 } }, 'result.p is a Payment, of which only its plain fields could be kept'],
  [circle, { self: [null] }, 'result.self[0] is a reference to what contains it'],
  [[Promise.resolve(1)], [null], 'result[0] is a Promise, of which nothing could be kept'],
  [{ at: new Date('no') }, {}, 'result.at is no valid date'],
])('of %s is kept what can be, and the rest is named by its place', (value, json, lost) => {
  expect(kept(value)).toEqual({ value: json, lost: [lost] })
})

test('a field that cannot be read is left out, and named', () => {
  const locked = {
    get a(): never {
      throw new Error('locked')
    },
    b: 1,
  }
  expect(kept(locked)).toEqual({ value: { b: 1 }, lost: ['result.a could not be read (locked)'] })
})

test('what is too large is cut, and its place is named', () => {
  expect(kept({ log: 'x'.repeat(50) }, 30)).toEqual({
    value: { log: 'x'.repeat(19) },
    lost: ['result.log was cut after 19 of 50 characters'],
  })
  const { value, lost } = kept(
    Array.from({ length: 1000 }, () => 1),
    40,
  )
  expect(value).toHaveLength(9)
  expect(lost).toEqual(['result was cut after 9 of 1000 entries'])
})

test('a value that is nested without end, or shared without end, is kept in part', () => {
  let deep: unknown = 1
  for (let level = 0; level < 100_000; level++) deep = [deep]
  expect(kept(deep).lost).toEqual([expect.stringContaining('is nested too deeply')])
  let wide: unknown = 1
  for (let level = 0; level < 60; level++) wide = [wide, wide]
  expect(kept(wide).lost).toContainEqual(expect.stringContaining('was cut'))
})
