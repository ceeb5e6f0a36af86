import { globSync, readFileSync } from 'node:fs'
import { Validator } from '@cfworker/json-schema'
import { describe, expect, test } from 'vitest'

interface Schema {
  readonly $id?: string
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly $defs?: Readonly<Record<string, Schema>>
}

const schemas = globSync('*.json', { cwd: 'schemas' }).map((file): [string, Schema] => [
  file,
  JSON.parse(readFileSync(`schemas/${file}`, 'utf8')),
])

describe.each(schemas)('%s', (file, schema) => {
  const documents = documentsIn(schema, schema)

  test('names itself, and refers to nothing outside', () => {
    expect(schema.$id).toBe(`urn:holdpoint:schema:${file.replace('.schema.json', '')}`)
    for (const [, to] of JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g)) expect(to).toMatch(/^#\/\$defs\/\w+$/)
    expect(() => new Validator(schema as object, '2020-12').validate(null)).not.toThrow()
  })

  test('calls a session session_id', () => {
    // Their bytes are hashed, or are those of a journal.
    if (/^(audit-record|bundle-header|event)\./.test(file)) return
    for (const keys of documents) if (keys.includes('thread_id')) expect(keys).toContain('session_id')
  })

  test('calls its things by the keys of all other documents', () => {
    for (const keys of documents) {
      if (!keys.includes('id')) continue
      expect(
        keys.filter(key => ['hold_id', 'run_id', 'task_id', 'grant_id', 'session_id', 'token_id'].includes(key)),
      ).not.toEqual([])
    }
  })
})

/** The keys of the document, of the items of a list, and of each part of a union. */
function documentsIn({ $ref, anyOf, items, properties }: Schema, root: Schema): string[][] {
  if ($ref !== undefined) return documentsIn(root.$defs?.[$ref.replace('#/$defs/', '')] ?? {}, root)
  if (anyOf) return anyOf.flatMap(part => documentsIn(part, root))
  if (items) return documentsIn(items, root)
  return properties ? [Object.keys(properties)] : []
}
