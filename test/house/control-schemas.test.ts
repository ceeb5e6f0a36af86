/** The output schemas of the controls, as MCP clients are offered them, against the types of what they answer with. */
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { generateFrom } from '../../scripts/generate-schemas.ts'
import { agentControls } from '../../src/runtime/agent-tasks/controls/controls.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: unknown
  readonly $defs?: Readonly<Record<string, Schema>>
}

const generated = generateFrom(resolve(import.meta.dirname, 'control-answers.ts'), 'ControlAnswers')
const controls = agentControls(() => Promise.reject(new Error('no control is called here')))

test('every control has a type for its answer', () => {
  expect(controls.map(({ name }) => name).toSorted()).toEqual([...generated.keys()].toSorted())
})

test.each(controls.map(({ name, outputSchema }) => [name, outputSchema as Schema] as const))(
  'the output schema of %s says what its type says',
  (name, offered) => {
    const root = generated.get(name) as Schema
    expect(differences(offered, root, { root, path: name })).toEqual([])
  },
)

interface Place {
  readonly root: Schema
  readonly path: string
}

/** An offered schema may say less of an object, but nothing else: keys, their types and which are there agree. */
function differences(offered: Schema, typed: Schema, { root, path }: Place): string[] {
  const [ours, theirs] = [branches(offered, root), branches(typed, root)]
  const [offers, types] = [kindsOf(ours), kindsOf(theirs)]
  if (types.includes('any') || offers.includes('any')) return []
  if (offers.join() !== types.join()) return [`${path}: offers ${offers.join()}, and is ${types.join()}`]
  return ours.flatMap(one => [
    ...objectDifferences(one, theirs, { root, path }),
    ...itemDifferences(one, theirs, { root, path }),
  ])
}

function objectDifferences(
  { properties, required = [], additionalProperties }: Schema,
  theirs: readonly Schema[],
  { root, path }: Place,
): string[] {
  if (!properties) return []
  const objects = theirs.filter(each => each.properties)
  const keys = new Set(objects.flatMap(each => Object.keys(each.properties ?? {})))
  const isOpen = additionalProperties !== false
  const missing = isOpen
    ? []
    : [...keys].filter(key => !Object.hasOwn(properties, key)).map(key => `${path}.${key}: is not offered`)
  const always = (key: string) => objects.every(each => each.required?.includes(key))
  const lax = required.filter(key => !always(key)).map(key => `${path}.${key}: may be left out`)
  const wrong = Object.entries(properties).flatMap(([key, schema]) => {
    const typed = objects.flatMap(each => each.properties?.[key] ?? [])
    if (typed.length === 0) return [`${path}.${key}: is not there`]
    return differences(schema, { anyOf: typed }, { root, path: `${path}.${key}` })
  })
  return [...missing, ...lax, ...wrong]
}

function itemDifferences({ items }: Schema, theirs: readonly Schema[], { root, path }: Place): string[] {
  const typed = theirs.flatMap(each => each.items ?? [])
  return items && typed.length > 0 ? differences(items, { anyOf: typed }, { root, path: `${path}[]` }) : []
}

/** The possible schemas, none of which is a choice or a reference. */
function branches(schema: Schema, root: Schema): Schema[] {
  if (schema.$ref !== undefined) return branches(root.$defs?.[schema.$ref.replace('#/$defs/', '')] ?? {}, root)
  return schema.anyOf ? schema.anyOf.flatMap(part => branches(part, root)) : [schema]
}

function kindsOf(schemas: readonly Schema[]): string[] {
  const kinds = schemas.flatMap(({ type, enum: values, const: value }) =>
    type === undefined
      ? (values ?? (value === undefined ? [] : [value])).map(each => (each === null ? 'null' : typeof each))
      : [type].flat(),
  )
  return kinds.length === 0 ? ['any'] : [...new Set(kinds)].toSorted()
}
