/** Documents that mostly fit a JSON Schema, and near misses of it. */
import fc from 'fast-check'

export interface Schema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
  readonly anyOf?: readonly Schema[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly type?: string | readonly string[]
  readonly pattern?: string
  readonly items?: Schema
  readonly minItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | false
  readonly propertyNames?: Schema
  readonly minimum?: number
  readonly maximum?: number
}

/** One of these in place of a part. */
const ODD = [null, true, '', ' ', 'x', '@a', 'a\0b', -1, 0, 1, 1.5, 2.5, 1e17, [], [''], {}, { x: 1 }] as const
/** For any pattern, some of them fit. */
const TEXTS = [
  'ana',
  '@owners',
  'x',
  '',
  ' ',
  '@',
  'A_*',
  'a b',
  'A=1',
  'a\0',
  'a_b',
  'a__b',
  'a'.repeat(40),
  ...[
    'https://a.example/x',
    'ana@example.org',
    'U012AB3CD',
    'o/r#7',
    '22:00-07:00 Europe/Berlin',
    '22:00-07:00 Nowhere',
  ],
] as const
const NUMBERS = [0.5, 1, 2, 3, 60, 400, 1e6] as const

/** Some have one odd part or none, and some have several. */
export function nearly(root: Schema): fc.Arbitrary<unknown> {
  return fc.oneof(document(root, 1500), document(root, 15))
}

/** One part in so many is odd. */
function document(root: Schema, rarity: number): fc.Arbitrary<unknown> {
  const { root: made } = fc.letrec<Record<string, unknown> & { root: unknown }>(loose => {
    const tie: Tie = Object.assign((key: string) => loose(key), { rarity })
    const defined = Object.entries(root.$defs ?? {}).map(([name, schema]) => [name, arbitrary(schema, tie)])
    return { ...Object.fromEntries(defined), root: arbitrary(root, tie) }
  })
  return made
}

/** Knows the other definitions. */
type Tie = ((key: string) => fc.Arbitrary<unknown>) & { readonly rarity: number }

function arbitrary(schema: Schema, tie: Tie): fc.Arbitrary<unknown> {
  return fc.oneof(
    { maxDepth: 8, depthIdentifier: 'schema' },
    // Deep down the first is taken.
    { weight: tie.rarity, arbitrary: fitting(schema, tie) },
    { weight: 1, arbitrary: fc.constantFrom(...ODD) },
  )
}

function fitting(schema: Schema, tie: Tie): fc.Arbitrary<unknown> {
  const { $ref, anyOf, type } = schema
  if ($ref !== undefined) return tie(decodeURIComponent($ref.replace('#/$defs/', '')))
  if (anyOf) return fc.oneof({ maxDepth: 8, depthIdentifier: 'schema' }, ...anyOf.map(part => arbitrary(part, tie)))
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const types = [type].flat() as string[]
  return fc.oneof(...types.map(each => OF_TYPE[each]?.(schema, tie) ?? fc.constant(null)))
}

const OF_TYPE: Readonly<Record<string, (schema: Schema, tie: Tie) => fc.Arbitrary<unknown>>> = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  string: ({ pattern = '' }) => mostly(TEXTS, text => new RegExp(pattern, 'u').test(text)),
  number: limits => mostly(NUMBERS, number => isWithin(number, limits)),
  integer: limits => mostly(NUMBERS, number => isWithin(number, limits) && Number.isInteger(number)),
  array: ({ items = {}, minItems = 0 }, tie) =>
    fc.array(arbitrary(items, tie), { minLength: minItems, maxLength: 3, depthIdentifier: 'schema' }),
  object: ({ properties, additionalProperties, propertyNames, required = [] }, tie) => {
    const parts = Object.entries(properties ?? {}).map(([key, part]) => [key, arbitrary(part, tie)] as const)
    const known = fc.record(Object.fromEntries(parts), { requiredKeys: [...required], noNullPrototype: true })
    const values = additionalProperties === false ? fc.constantFrom(...ODD) : arbitrary(additionalProperties ?? {}, tie)
    const keys = propertyNames ? fitting({ type: 'string', ...propertyNames }, tie) : mostly(TEXTS, text => text !== '')
    const others = fc.dictionary(keys as fc.Arbitrary<string>, values, { maxKeys: 2, noNullPrototype: true })
    return fc
      .tuple(known, others, fc.integer({ min: 0, max: 100 }))
      .map(([one, more, odd]) => (additionalProperties !== false || odd === 0 ? { ...more, ...one } : one))
  },
}

function mostly<T>(values: readonly T[], fits: (value: T) => boolean): fc.Arbitrary<T> {
  const good = values.filter(fits)
  const any = fc.constantFrom(...values)
  return good.length === 0
    ? any
    : fc.oneof({ weight: 1, arbitrary: any }, { weight: 100, arbitrary: fc.constantFrom(...good) })
}

function isWithin(number: number, { minimum = -Infinity, maximum = Infinity }: Schema): boolean {
  return number >= minimum && number <= maximum
}
