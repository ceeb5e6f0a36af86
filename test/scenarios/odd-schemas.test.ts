/** Schemas of tools that public reports show providers to refuse: a run with them works on every wire. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/text/json.ts'
import { ALL_WIRES, expectInOrder } from './wires.ts'
import { advanced, aWorkplace, call, started } from './workplace.ts'

const text = { type: 'string' }

interface Odd {
  readonly what: string
  readonly schema: JsonObject
  /** Arguments in the names that the model was shown, by the names of this test. */
  readonly args: JsonObject
}

const ODD: readonly Odd[] = [
  {
    what: 'alternatives at the top',
    schema: {
      oneOf: [
        { type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] },
        { type: 'object', properties: { name: text }, required: ['name'] },
      ],
    },
    args: { order: 7 },
  },
  { what: 'additions at the top', schema: { allOf: [{ properties: { order: text } }] }, args: { order: 'x' } },
  {
    what: 'a choice at the top',
    schema: { type: 'object', properties: { a: text, b: text }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    args: { b: 'x' },
  },
  {
    what: 'fields of other characters',
    schema: { type: 'object', properties: { $filter: text, 'user name': text }, required: ['$filter'] },
    args: { $filter: 'x', 'user name': 'Ana' },
  },
  { what: 'no type', schema: { properties: { a: text } }, args: { a: 'x' } },
  {
    what: 'a cycle of references',
    schema: {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/node' } },
      $defs: { node: { type: 'object', properties: { leaf: text, next: { $ref: '#/$defs/node' } } } },
    },
    args: { tree: { next: { next: { next: { next: { leaf: 'x' } } } } } },
  },
  {
    what: 'a list of anything, and a format of its own',
    schema: {
      type: 'object',
      properties: { all: { type: 'array' }, at: { ...text, format: 'uri' } },
    },
    args: { all: [1, 'two'], at: 'https://example.org' },
  },
  {
    what: 'an empty value among its values',
    schema: { type: 'object', properties: { how: { ...text, enum: ['', 'fast'] } } },
    args: { how: '' },
  },
]

/** The only tool that the server was offered. */
function offered(body: unknown): { readonly name: string; readonly fields: readonly string[] } {
  const { name, schema } = firstTool(body)
  return { name, fields: Object.keys(schema.properties) }
}

// biome-ignore lint/suspicious/noExplicitAny: a request of any provider
function firstTool({ tools: [tool] }: any) {
  const own = tool.function ?? tool.functionDeclarations?.[0] ?? tool
  return { name: own.name, schema: own.parameters ?? own.parametersJsonSchema ?? own.input_schema }
}

describe.each(ALL_WIRES)('with $model', wire => {
  test.each(ODD)('a tool with $what is called with its own arguments', async ({ schema, args }) => {
    await using probe = await wire.open({ turns: ['Done.'] })
    await using place = await aWorkplace()
    const seen: unknown[] = []
    const act = place.tool('act', {
      inputSchema: schema,
      execute: async given => {
        seen.push(given)
        return 'done'
      },
    })
    await using first = await place.open({ model: wire.object(probe.url), tools: [act] })
    expect(await advanced(first, (await started(first)).id)).toMatchObject({ answer: 'Done.' })
    const shown = offered(probe.requests[0]?.body)

    const wireArgs = Object.fromEntries(
      Object.entries(args).map(([key, value]) => [wireField(key, schema, shown.fields), value]),
    )
    await using server = await wire.open({ turns: [{ calls: [call('one', shown.name, wireArgs)] }, 'Done.', 'More.'] })
    await using holdpoint = await place.open({ model: wire.object(server.url), tools: [act] })
    const { id, thread_id } = await started(holdpoint)
    const view = await advanced(holdpoint, id)
    expect(view).toMatchObject({ answer: 'Done.' })
    expect(seen).toEqual([args])
    expect(view.messages[1]).toMatchObject({ tool_calls: [{ name: 'act', arguments: args }] })

    await using other = await place.open({ model: wire.object(server.url), tools: [act] })
    const next = await other.send(thread_id, { text: 'Go on.' })
    expect(await advanced(other, next.run_id)).toMatchObject({ answer: 'More.' })
    expectInOrder(server, 3)
    const [one, two, three] = server.requests.map(({ body }) => JSON.stringify(body))
    expect(two).toContain(one?.slice(one.indexOf('"tools"')))
    expect(three).toContain(shown.name)
  })
})

/** The shown name at the place of a field of the schema. */
function wireField(key: string, schema: JsonObject, fields: readonly string[]): string {
  const place = Object.keys((schema['properties'] ?? {}) as JsonObject).indexOf(key)
  return place < 0 ? key : (fields[place] ?? key)
}
