import fc from 'fast-check'
import { expect, test } from 'vitest'
import { faultsText, readExactly } from './exact-json.ts'
import { takesText } from './read-fitting.ts'

const told = (text: string) => {
  const { faults } = readExactly(text)
  return faults.length === 0 ? null : faultsText(faults, 'arguments')
}
const number = (path: string, source: string) =>
  `${path} is ${source}, a number that cannot be kept exactly: write it as a string`

test('a text that our own JSON writes has no fault', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const text = JSON.stringify(value, (key, inner) => (key === '__proto__' ? undefined : inner))
      const safe = (each: unknown): boolean =>
        typeof each === 'number'
          ? !Number.isInteger(each) || Number.isSafeInteger(each) || /e/.test(String(each))
          : typeof each !== 'object' || each === null || Object.values(each).every(safe)
      if (safe(JSON.parse(text))) expect(readExactly(text)).toEqual({ value: JSON.parse(text), faults: [] })
    }),
  )
})

test.each<readonly [string, string]>([
  ['{"order":"7","limit":1e999}', `${number('arguments.limit', '1e999')}.`],
  ['{"message_id": 1234567890123456789}', `${number('arguments.message_id', '1234567890123456789')}.`],
  ['{"ids":[1,[9007199254740992]]}', `${number('arguments.ids[1][0]', '9007199254740992')}.`],
  ['{"a":-9007199254740993,"b":1}', `${number('arguments.a', '-9007199254740993')}.`],
  ['{"a":12345678901234567.0}', `${number('arguments.a', '12345678901234567.0')}.`],
  ['{"a":-1E400}', `${number('arguments.a', '-1E400')}.`],
  ['{"a":1,"a":2}', 'arguments has the key "a" more than once: write it once.'],
  ['{"x":{"a":1,"\\u0061":2}}', 'arguments.x has the key "\\u0061" more than once: write it once.'],
  ['{"l":[{},{"__proto__":{}}]}', 'arguments.l[1] has a key "__proto__": leave it out.'],
  ['{"\\u005f_proto__":1}', 'arguments has a key "__proto__": leave it out.'],
  [
    '{"a b":1e999,"c":{"d":1,"d":1}}',
    `${number('arguments["a b"]', '1e999')}; arguments.c has the key "d" more than once: write it once.`,
  ],
])('%s is told to say what its value does not', (text, message) => {
  expect(told(text)).toBe(message)
})

test.each([
  '{"a":9007199254740991,"b":-9007199254740991}',
  '{"a":0.1234567890123456789,"b":1.5e300,"c":1e20,"d":1E+20,"e":100.0e18}',
  '{"a":"1234567890123456789","b":"{\\"a\\":1,\\"a\\":2}","c":"1e999"}',
  '{"a":{"x":1},"b":{"x":1},"c":[{"x":1},{"x":2}]}',
  '{"a":{},"b":[],"c":[[],{}],"d":"x"}',
  '{"constructor":1,"prototype":2}',
  '1e-400',
  '"\\\\"',
])('%s says what its value says', text => {
  expect(readExactly(text)).toEqual({ value: JSON.parse(text), faults: [] })
})

test('what is no JSON is no JSON', () => {
  expect(() => readExactly('{"a":01}')).toThrow(SyntaxError)
})

test('a long text is read in one pass', () => {
  const text = JSON.stringify({ content: 'line "of" text\n\\'.repeat(200_000), id: 1 })
  expect(readExactly(text).faults).toEqual([])
})

const SCHEMA = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    either: { type: ['integer', 'string'] },
    count: { type: 'integer' },
    any: {},
    rows: { type: 'array', items: { $ref: '#/$defs/row' } },
    pair: { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
    one: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    none: { oneOf: [{ type: 'integer' }, { type: 'null' }] },
    both: { allOf: [{ type: 'integer' }, { minimum: 1 }] },
    word: { enum: ['a', 1] },
    fixed: { const: 1 },
    tree: { $ref: '#/$defs/tree' },
  },
  additionalProperties: false,
  $defs: {
    row: { type: 'object', properties: { id: { type: 'string' } }, additionalProperties: { type: 'number' } },
    tree: { $ref: '#/$defs/tree' },
  },
}

test.each<readonly [boolean, readonly (string | number)[]]>([
  [true, ['text']],
  [true, ['either']],
  [false, ['count']],
  [true, ['any']],
  [true, ['any', 'inner', 0]],
  [true, ['rows', 3, 'id']],
  [false, ['rows', 3, 'other']],
  [true, ['pair', 0]],
  [false, ['pair', 1]],
  [false, ['pair', 2]],
  [true, ['one']],
  [false, ['none']],
  [false, ['both']],
  [true, ['word']],
  [false, ['fixed']],
  [false, ['tree']],
  [false, ['unknown']],
])('it is %j that a text is taken at %j', (expected, path) => {
  expect(takesText(SCHEMA, path)).toBe(expected)
})
