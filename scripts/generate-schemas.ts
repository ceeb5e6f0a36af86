/** JSON Schemas from the types of `documents.ts`. The types and their docstrings are the only source. */
import { resolve } from 'node:path'
import { createGenerator, type SchemaGenerator } from 'ts-json-schema-generator'

type Schema = { readonly [keyword: string]: unknown }
type Definitions = Readonly<Record<string, Schema>>

/** Documents that Holdpoint prints may gain keys; a key that it reads and does not know is a mistake. */
const GROUPS: readonly { readonly type: string; readonly isOpen: boolean }[] = [
  { type: 'Written', isOpen: false },
  { type: 'Printed', isOpen: true },
]

/** By the name of the file below `schemas/`. */
export function generateSchemas(): Map<string, Schema> {
  const generator = generatorFor(inScripts('documents.ts'))
  const entries = GROUPS.flatMap(({ type, isOpen }) => {
    const documents = documentsOf(generator, type)
    return documents.map(([name, document]): [string, Schema] => [
      `${name}.schema.json`,
      isOpen ? opened(document) : document,
    ])
  })
  return new Map([...entries, ['http.schema.json', httpSchema()]])
}

/** The documents that are the fields of one type of a file, each complete in itself. */
export function generateFrom(path: string, type: string): Map<string, Schema> {
  return new Map(documentsOf(generatorFor(path), type))
}

function inScripts(file: string): string {
  return resolve(import.meta.dirname, file)
}

function generatorFor(path: string): SchemaGenerator {
  return createGenerator({
    path,
    tsconfig: resolve(import.meta.dirname, '../tsconfig.json'),
    // `npm run check` has checked them.
    skipTypeCheck: true,
    sortProps: false,
    strictTuples: true,
    functions: 'fail',
    extraTags: ['dependentSchemas'],
  })
}

/** All documents of the server in one file, by name: `/openapi.json` takes them as they are. */
function httpSchema(): Schema {
  const { Answered, ...all } = definitionsOf(generatorFor(inScripts('http-documents.ts')).createSchema('Answered'))
  const documents = Answered?.['properties'] as Definitions
  const named = Object.fromEntries(Object.entries(documents).filter(([name, schema]) => referenceIn(schema) !== name))
  const taken = Object.keys(named).filter(name => name in all)
  if (taken.length > 0) throw new TypeError(`two schemas have the name ${taken.join(', ')}`)
  const definitions = Object.entries({ ...all, ...named }).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return opened({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:holdpoint:schema:http',
    title: 'Holdpoint: http',
    description: 'The documents of `holdpoint serve`, by the names that its /openapi.json has for them.',
    $defs: Object.fromEntries(definitions),
  })
}

function documentsOf(generator: SchemaGenerator, type: string): [string, Schema][] {
  const all = definitionsOf(generator.createSchema(type))
  const documents = all[type]?.['properties'] as Definitions
  return Object.entries(documents).map(([name, schema]) => [name, documentSchema(name, schema, all)])
}

function definitionsOf(schema: object): Definitions {
  const text = JSON.stringify(schema).replaceAll('"#/definitions/', '"#/$defs/')
  const { definitions } = JSON.parse(text) as { definitions: Definitions }
  return mapped(definitions, each => withTimes(withDescription(each))) as Definitions
}

/** Complete in itself. A URN is its `$id`: it names the schema, and no one looks for it on the network. */
function documentSchema(name: string, schema: Schema, all: Definitions): Schema {
  const { description, ...root } = schema
  const named = all[referenceIn(root) ?? '']
  const content = named ?? root
  const used = definitionsIn(content, all)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:holdpoint:schema:${name}`,
    title: `Holdpoint: ${name}`,
    ...content,
    description,
    ...(used.size > 0 && { $defs: Object.fromEntries([...used].toSorted().map(key => [key, all[key]])) }),
  }
}

function definitionsIn(schema: Schema, all: Definitions, found: Set<string> = new Set()): Set<string> {
  for (const [, text = ''] of JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
    const name = decodeURIComponent(text)
    if (found.has(name)) continue
    found.add(name)
    definitionsIn(all[name] ?? {}, all, found)
  }
  return found
}

function referenceIn({ $ref }: Schema): string | undefined {
  return typeof $ref === 'string' ? decodeURIComponent($ref.replace('#/$defs/', '')) : undefined
}

/** Every schema within a schema, changed from the inside out. */
function mapped(value: unknown, change: (schema: Schema) => Schema): unknown {
  if (Array.isArray(value)) return value.map(each => mapped(each, change))
  if (typeof value !== 'object' || value === null) return value
  return change(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapped(inner, change)])))
}

/** Of what may be `null`, too: an editor shows it for the key alone. */
function withDescription(schema: Schema): Schema {
  const { anyOf, ...rest } = schema as { anyOf?: readonly Schema[] }
  if (anyOf?.length !== 2 || anyOf[1]?.['type'] !== 'null') return schema
  const { description, ...one } = anyOf[0] as Schema
  const parts = (Object.keys(one).join() === 'anyOf' ? one['anyOf'] : [one]) as readonly Schema[]
  return { anyOf: [...parts, { type: 'null' }], ...(description !== undefined && { description }), ...rest }
}

const TIME = /^(at|until|.*_at)$/

/** Keys name their meaning: `at`, `until` and what ends in `_at` are times. */
function withTimes(schema: Schema): Schema {
  const { properties } = schema
  if (typeof properties !== 'object' || properties === null) return schema
  const entries = Object.entries(properties).map(([key, inner]) => [key, TIME.test(key) ? asTime(inner) : inner])
  return { ...schema, properties: Object.fromEntries(entries) }
}

function asTime(schema: Schema): Schema {
  return [schema['type']].flat().includes('string') ? { ...schema, format: 'date-time' } : schema
}

function opened(schema: Schema): Schema {
  return mapped(schema, ({ additionalProperties, ...rest }) =>
    additionalProperties === undefined || additionalProperties === false ? rest : { ...rest, additionalProperties },
  ) as Schema
}
