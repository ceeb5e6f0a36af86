import type { StandardSchemaV1 } from '@standard-schema/spec'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { copyArguments } from '../../core/plain/fitted.ts'
import type { JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { aDecision } from '../../testing/contracts/sample-journal.ts'
import { toolContext } from '../../testing/kit/tool-context.ts'
import { defineTool } from './define-tool.ts'
import type { ToolOptions } from './tool-options.ts'
import type { AiSdkSchema } from './tool-schema.ts'

const context = toolContext()

const echo = { name: 'echo', execute: (args: unknown) => args }

/** As the runtime does it: what `validate` gives is stored, and what is stored is executed. */
async function call(tool: Tool, args: JsonObject): Promise<unknown> {
  const validated = await tool.validate(args)
  if (!validated.ok) return validated.issues
  return await tool.execute(copyArguments(validated.value), context)
}

test('a zod schema becomes the JSON Schema that the model is shown', () => {
  const inputSchema = z.object({ order: z.string().describe('Its number'), amount: z.number().default(1) })
  expect(defineTool({ ...echo, inputSchema }).inputSchema).toEqual({
    type: 'object',
    properties: { order: { type: 'string', description: 'Its number' }, amount: { type: 'number', default: 1 } },
    required: ['order'],
  })
})

test('what validation returns has the defaults in it, and is what runs', async () => {
  const tool = defineTool({ ...echo, inputSchema: z.object({ order: z.string(), amount: z.number().default(1) }) })
  expect(await tool.validate({ order: '7', extra: true })).toEqual({ ok: true, value: { order: '7', amount: 1 } })
  expect(await call(tool, { order: '7' })).toEqual({ order: '7', amount: 1 })
})

test('a transform is applied once to what was approved', async () => {
  const inputSchema = z.object({ name: z.string().transform(name => `${name}!`) })
  const tool = defineTool({ ...echo, inputSchema })
  expect(await tool.validate({ name: 'ana' })).toEqual({ ok: true, value: { name: 'ana!' } })
  expect(await call(tool, { name: 'ana' })).toEqual({ name: 'ana!' })
})

test('a transform to what JSON does not have reaches execute', async () => {
  const inputSchema = z.object({ tags: z.array(z.string()).transform(tags => new Set(tags)) })
  const tool = defineTool({ name: 'count', inputSchema, execute: ({ tags }) => tags.size })
  expect(await call(tool, { tags: ['a', 'b', 'a'] })).toBe(2)
})

test('issues name the place and are one line', async () => {
  const tool = defineTool({ ...echo, inputSchema: z.object({ items: z.array(z.object({ 'a b': z.number() })) }) })
  expect(await tool.validate({ items: [{ 'a b': 'x' }] })).toEqual({
    ok: false,
    issues: 'arguments.items[0]["a b"]: Invalid input: expected number, received string',
  })
})

test('execute does not run on arguments that do not fit', async () => {
  const tool = defineTool({ ...echo, inputSchema: z.object({ order: z.string() }) })
  await expect(tool.execute({}, context)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' })
})

test('a check that throws has not passed', async () => {
  const inputSchema = z.object({
    a: z.string().refine(() => {
      throw new Error('no database')
    }),
  })
  expect(await defineTool({ ...echo, inputSchema }).validate({ a: 'x' })).toEqual({
    ok: false,
    issues: 'arguments: cannot be checked: no database',
  })
})

test('JSON Schema is checked and given on as it is', async () => {
  const inputSchema = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] } as const
  const tool = defineTool({ ...echo, inputSchema })
  expect(tool.inputSchema).toEqual(inputSchema)
  expect(await call(tool, { order: '7', more: [1] })).toEqual({ order: '7', more: [1] })
  expect(await call(tool, { order: 7 })).toBe('arguments.order: must be a string, not a number')
})

test('a schema that does not say it is of an object is made to say so', () => {
  expect(defineTool({ ...echo, inputSchema: { properties: {} } }).inputSchema).toEqual({
    type: 'object',
    properties: {},
  })
})

test('an AI SDK schema validates with its own function, or by its JSON Schema', async () => {
  const jsonSchema = { type: 'object', properties: { n: { type: 'number' } } }
  const bare: AiSdkSchema<{ n: number }> = { _type: { n: 0 }, jsonSchema }
  const strict: AiSdkSchema<{ n: number }> = {
    ...bare,
    validate: value => {
      const { n } = value as { n?: number }
      return n === 1 ? { success: true, value: { n: 2 } } : { success: false, error: new Error('n must be\n1') }
    },
  }
  expect(await call(defineTool({ ...echo, inputSchema: bare }), { n: 'x' })).toBe(
    'arguments.n: must be a number, not a string',
  )
  expect(await call(defineTool({ ...echo, inputSchema: strict }), { n: 1 })).toEqual({ n: 2 })
  expect(await call(defineTool({ ...echo, inputSchema: () => strict }), { n: 3 })).toBe('arguments: n must be 1')
})

test('a schema of another library works when it can tell its JSON Schema, also when it is a function', async () => {
  const inputSchema = Object.assign(() => {}, {
    '~standard': {
      version: 1 as const,
      vendor: 'other',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => ({ type: 'object' }), output: () => ({}) },
    },
  })
  expect(await call(defineTool({ ...echo, inputSchema }), { a: 1 })).toEqual({ a: 1 })
})

test('a schema without a JSON Schema neither compiles nor runs, and the hint names the converter', () => {
  const schema: StandardSchemaV1 = { '~standard': { version: 1, vendor: 'valibot', validate: value => ({ value }) } }
  // @ts-expect-error it cannot tell its JSON Schema
  const define = () => defineTool({ ...echo, inputSchema: schema })
  expect(define).toThrow(
    expect.objectContaining({
      message: expect.stringContaining('its valibot schema cannot tell its JSON Schema'),
      hint: 'Wrap it: `toStandardJsonSchema(schema)` from the package @valibot/to-json-schema.',
    }),
  )
})

test('an option that is not known is refused by name', () => {
  expect(() => defineTool({ ...echo, inputSchema: {}, needApproval: true } as never)).toThrow(
    expect.objectContaining({ code: 'invalid_tool', message: expect.stringContaining('an option "needApproval"') }),
  )
})

const mute: StandardSchemaV1 = { '~standard': { version: 1, vendor: 'mute', validate: value => ({ value }) } }

test.each<[string, unknown, RegExp]>([
  ['an empty name', { ...echo, name: '', inputSchema: {} }, /"" cannot be used/],
  ['a name with a space', { ...echo, name: 'a b', inputSchema: {} }, /"a b" cannot be used/],
  ['a name that is too long', { ...echo, name: 'x'.repeat(65), inputSchema: {} }, /models take no such name/],
  ['no execute function', { name: 'x', inputSchema: {} }, /no execute function/],
  ['no schema', { ...echo }, /inputSchema is missing/],
  ['a schema that tells no JSON Schema', { ...echo, inputSchema: mute }, /its mute schema cannot tell its JSON Schema/],
  [
    'a schema of what JSON does not have',
    { ...echo, inputSchema: z.object({ at: z.date() }) },
    /Date cannot be represented/,
  ],
  ['a schema of no object', { ...echo, inputSchema: z.string() }, /inputSchema is of type "string"/],
  [
    'a schema with an unknown type',
    { ...echo, inputSchema: { properties: { a: { type: 'text' } } } },
    /inputSchema\.properties\.a\.type/,
  ],
  [
    'properties in place of a schema',
    { ...echo, inputSchema: { order: { type: 'string' } } },
    /inputSchema has "order", which is no keyword of JSON Schema/,
  ],
  [
    'a property that is called like an annotation',
    { ...echo, inputSchema: { description: { type: 'string' } } },
    /inputSchema has "description"/,
  ],
  [
    'properties beside the type',
    { ...echo, inputSchema: { type: 'object', order: { type: 'string' } } },
    /inputSchema has "order"/,
  ],
  ['a version that is no text', { ...echo, inputSchema: {}, version: 1 }, /its version 1 is no text/],
  ['an empty version', { ...echo, inputSchema: {}, version: '' }, /its version "" is no text/],
  ['a schema that is still a promise', { ...echo, inputSchema: { jsonSchema: Promise.resolve({}) } }, /is a promise/],
])('a definition with %s is refused', (_, options, message) => {
  const define = () => defineTool(options as ToolOptions<JsonObject>)
  expect(define).toThrow(message)
  expect(define).toThrow(
    expect.objectContaining({ name: 'RefusedError', code: 'invalid_tool', hint: expect.any(String) }),
  )
})

test.each<JsonObject>([
  { description: 'No arguments.' },
  { type: 'object', 'x-origin': { by: 'ana' }, default: {} },
  { $ref: '#/$defs/a', $defs: { a: { type: 'object' } }, extension: {} },
])('a schema with a keyword, an annotation or an extension is taken: %j', inputSchema => {
  expect(defineTool({ ...echo, inputSchema }).inputSchema).toMatchObject(inputSchema)
})

test('without a word on approval the tool says nothing', async () => {
  const tool = defineTool({ ...echo, inputSchema: {} })
  expect(await tool.needsApproval({})).toBeNull()
  expect(tool).toMatchObject({ description: '', idempotent: false, destructive: false })
  expect(tool).not.toHaveProperty('inspect')
})

test('approval is a matter of the validated arguments', async () => {
  const inputSchema = z.object({ amount: z.number().default(200) })
  const tool = defineTool({ ...echo, inputSchema, needsApproval: async ({ amount }) => amount > 100 })
  expect(await tool.needsApproval({ amount: 7 })).toBe(false)
  expect(await tool.needsApproval({})).toBe(true)
  expect(await defineTool({ ...echo, inputSchema, needsApproval: true }).needsApproval({})).toBe(true)
})

test('P1: a needsApproval that forgets to answer asks a person', async () => {
  const inputSchema = z.object({ amount: z.number() })
  const needsApproval = (() => undefined) as unknown as () => boolean
  const tool = defineTool({ ...echo, inputSchema, needsApproval })
  expect(await tool.needsApproval({ amount: 1 })).toBe(true)
})

test('P1: arguments that do not fit need approval', async () => {
  const tool = defineTool({ ...echo, inputSchema: z.object({ a: z.string() }), needsApproval: () => false })
  expect(await tool.needsApproval({})).toBe(true)
})

test('no result is null, and of a stream of results the last one counts', async () => {
  const stream = async function* () {
    yield { progress: 1 }
    yield { done: true }
  }
  expect(await defineTool({ name: 'x', inputSchema: {}, execute() {} }).execute({}, context)).toBeUndefined()
  expect(await defineTool({ name: 'x', inputSchema: {}, execute: stream }).execute({}, context)).toEqual({ done: true })
})

test('P11: a result that is not JSON is handed on: the runtime keeps of it what it can', async () => {
  const tool = defineTool({ name: 'x', inputSchema: {}, execute: () => ({ rows: [{ id: 1n }] }) })
  expect(await tool.execute({}, context)).toEqual({ rows: [{ id: 1n }] })
})

test('what execute throws reaches the caller as it is', async () => {
  const failure = new Error('out of stock')
  const tool = defineTool({ name: 'x', inputSchema: {}, execute: () => Promise.reject(failure) })
  await expect(tool.execute({}, context)).rejects.toBe(failure)
})

test('execute is told of its call, and its options stay its own', async () => {
  const tool = defineTool({
    name: 'x',
    inputSchema: {},
    inspect(args, workdir) {
      return {
        readings: { [workdir]: { as: this.name ?? '', among: Object.keys(args) } },
        unclear: null,
        protected: null,
      }
    },
    execute: (_, given) => given.idempotencyKey,
  } as ToolOptions<JsonObject>)
  expect(await tool.execute({}, context)).toBe('key-1')
  expect(await tool.inspect?.({ a: 1 }, '/')).toMatchObject({ readings: { '/': { as: 'x', among: ['a'] } } })
})

test('the arguments of execute and needsApproval have the type of the schema', () => {
  defineTool({
    name: 'typed',
    inputSchema: z.object({
      order: z.string(),
      amount: z.number().default(1),
      at: z
        .string()
        .transform(text => new Date(text))
        .optional(),
    }),
    needsApproval(args) {
      expectTypeOf(args).toEqualTypeOf<{ order: string; amount: number; at?: Date | undefined }>()
      return false
    },
    execute(args) {
      expectTypeOf(args).toEqualTypeOf<{ order: string; amount: number; at?: Date | undefined }>()
    },
  })
  const aiSdk: AiSdkSchema<{ n: number }> = { _type: { n: 0 }, jsonSchema: {} }
  defineTool({ name: 'typed', inputSchema: aiSdk, execute: args => expectTypeOf(args).toEqualTypeOf<{ n: number }>() })
  defineTool({
    name: 'open',
    inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
    // biome-ignore lint/suspicious/noExplicitAny: the type that is asserted
    execute: args => expectTypeOf(args).toEqualTypeOf<Record<string, any>>(),
  })
})

test('a tool resumes in the mode that it declares, and says nothing where it declares none', () => {
  const inputSchema = { type: 'object' }
  const modes = ['replay_tool_call', 'use_decision_as_tool_result', 'pass_decision_to_tool'] as const
  for (const resumeMode of modes) expect(defineTool({ ...echo, inputSchema, resumeMode }).resumeMode).toBe(resumeMode)
  expect(defineTool({ ...echo, inputSchema })).not.toHaveProperty('resumeMode')
})

test('a resume mode that is not known is refused, with those that are', () => {
  const define = () =>
    defineTool({ ...echo, inputSchema: { type: 'object' }, resumeMode: 'retry' as 'replay_tool_call' })
  expect(define).toThrow(
    expect.objectContaining({ code: 'invalid_tool', hint: expect.stringContaining('pass_decision_to_tool') }),
  )
})

test('a tool is told of the decision and can suspend itself', async () => {
  const tool = defineTool({
    ...echo,
    inputSchema: { type: 'object' },
    execute: (_, { decision, suspend }) => decision?.verdict ?? suspend({ message: 'Sure?' }),
  })
  await expect(tool.execute({}, context)).rejects.toThrow('Sure?')
  expect(await tool.execute({}, toolContext({ decision: aDecision('edit') }))).toBe('edit')
})

const once = { ...echo, inputSchema: {}, execute: () => 'once' }
const twice = { ...once, execute: () => 'twice' }

test('P9: the same code has the same digest, and other code another', () => {
  const [one, same, other] = [once, { ...once }, twice].map(options => defineTool(options).code?.())
  expect(one).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect(same).toBe(one)
  expect(other).not.toBe(one)
})

test('P9: a version takes the place of the code', () => {
  const tool = defineTool({ ...once, version: '2' })
  expect(tool).toMatchObject({ version: '2' })
  expect(tool.code).toBeUndefined()
})
