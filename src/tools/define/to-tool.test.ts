import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Message } from '../../core/journal/message.ts'
import type { ToolContext } from '../../ports/agent/tool.ts'
import { aDecision } from '../../testing/contracts/sample-journal.ts'
import { toolContext } from '../../testing/kit/tool-context.ts'
import { type AiSdkTool, toTool } from './to-tool.ts'

const context = toolContext()

const weather: AiSdkTool = {
  description: 'Tells the weather',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }: { city: string }, { toolCallId, messages, abortSignal }) => ({
    city,
    toolCallId,
    messages,
    aborted: abortSignal.aborted,
  }),
}

test('an AI SDK tool works as it is, under the name of its key', async () => {
  const tool = toTool('weather', weather)
  expect(tool).toMatchObject({ name: 'weather', description: 'Tells the weather' })
  expect(tool.asks).toBeUndefined()
  expect(await tool.needsApproval({ city: 'Rome' })).toBeNull()
  expect(await tool.execute({ city: 'Rome' }, context)).toEqual({
    city: 'Rome',
    toolCallId: 'tc_1',
    messages: [],
    aborted: false,
  })
})

test('it gets the conversation that led to the call, as the AI SDK writes it', async () => {
  const messages: readonly Message[] = [
    { role: 'user', content: 'Is it warm?', author: 'ana' },
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [
        { id: 'a', name: 'weather', arguments: { city: 'Oslo' }, metadata: null },
        { id: 'b', name: 'weather', arguments: { city: 'Bergen' }, metadata: null },
      ],
    },
    { role: 'tool', tool_call_id: 'a', tool_name: 'weather', content: { degrees: 7 }, is_error: false },
    { role: 'tool', tool_call_id: 'b', tool_name: 'weather', content: 'TOOL_FAILED: fog', is_error: true },
    { role: 'user', content: [{ type: 'image', media_type: 'image/png', data: 'aGk=' }], author: null },
  ]
  const execute = (_: unknown, options: { messages: unknown }) => options.messages
  expect(await toTool('weather', { ...weather, execute }).execute({ city: 'Rome' }, toolContext({ messages }))).toEqual(
    [
      { role: 'user', content: 'Is it warm?' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'weather', input: { city: 'Oslo' } },
          { type: 'tool-call', toolCallId: 'b', toolName: 'weather', input: { city: 'Bergen' } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'a',
            toolName: 'weather',
            output: { type: 'json', value: { degrees: 7 } },
          },
          {
            type: 'tool-result',
            toolCallId: 'b',
            toolName: 'weather',
            output: { type: 'error-text', value: 'TOOL_FAILED: fog' },
          },
        ],
      },
      { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: 'aGk=' }] },
    ],
  )
})

test('its word on approval counts, with the options it expects', async () => {
  const needsApproval = ({ city }: { city: string }, { messages }: { messages: unknown[] }) =>
    city === 'Rome' && messages.length === 0
  const tool = toTool('weather', { ...weather, needsApproval })
  expect(await tool.needsApproval({ city: 'Rome' })).toBe(true)
  expect(await tool.needsApproval({ city: 'Oslo' })).toBe(false)
  expect(await toTool('weather', { ...weather, needsApproval: true }).needsApproval({ city: 'Oslo' })).toBe(true)
})

test('its description may be a function', () => {
  expect(toTool('weather', { ...weather, description: () => 'made' }).description).toBe('made')
})

test('the last of the values it yields is the result', async () => {
  const execute = async function* () {
    yield 'looking'
    yield 'sunny'
  }
  expect(await toTool('weather', { ...weather, execute }).execute({ city: 'Rome' }, context)).toBe('sunny')
})

test('what it makes of its result for the model is the result', async () => {
  const shown = {
    ...weather,
    toModelOutput: ({ output }: { output: { city: string } }) => ({ type: 'text', value: output.city }),
  }
  expect(await toTool('weather', shown).execute({ city: 'Rome' }, context)).toBe('Rome')
  const failed = { ...weather, toModelOutput: () => ({ type: 'error-text', value: 'no weather' }) }
  await expect(toTool('weather', failed).execute({ city: 'Rome' }, context)).rejects.toMatchObject({
    code: 'TOOL_FAILED',
    message: 'no weather',
  })
})

test.each([
  ['throws', () => Promise.reject(new Error('no words'))],
  ['gives nothing', () => undefined],
  ['gives no type', () => ({ value: 'x' })],
])('P11: a tool that ran has succeeded, also if what it makes of its result %s', async (_, toModelOutput) => {
  const result = await toTool('weather', { ...weather, toModelOutput }).execute({ city: 'Rome' }, context)
  expect(result).toMatch(/^It ran to its end; its result is withheld: toModelOutput failed on it \(.+\)\.$/)
})

test('a client tool never runs: its calls wait for their result', async () => {
  const { execute: _, ...client } = weather
  const tool = toTool('weather', { ...client, outputSchema: z.object({ sky: z.string() }) })
  expect(tool.asks?.({ city: 'Rome' })).toMatchObject({
    kind: 'client_tool',
    message: 'The tool weather runs outside: give the result of this call.',
    context: { city: 'Rome' },
    choices: null,
    response_schema: { type: 'object', required: ['sky'] },
  })
  await expect(tool.execute({ city: 'Rome' }, context)).rejects.toMatchObject({ code: 'CLIENT_TOOL' })
  expect(toTool('weather', client).asks?.({ city: 'Rome' })).toMatchObject({ response_schema: null })
})

test('it may ask somebody halfway, and is told what was decided', async () => {
  const decision = aDecision('approve')
  const execute = (_: unknown, { decision: told, suspend }: ToolContext) => told ?? suspend({ message: 'Sure?' })
  const tool = toTool('weather', { ...weather, execute })
  await expect(tool.execute({ city: 'Rome' }, context)).rejects.toThrow('Sure?')
  expect(await tool.execute({ city: 'Rome' }, toolContext({ decision }))).toEqual(decision)
})

test('a tool that only its provider can run is refused', () => {
  const define = () => toTool('search', { type: 'provider', inputSchema: {} })
  expect(define).toThrow(expect.objectContaining({ code: 'invalid_tool' }))
})

test('P9: the code of an AI SDK tool is its own functions', () => {
  const inputSchema = { type: 'object' }
  const execute = () => 'sunny'
  const code = (tool: AiSdkTool) => toTool('weather', tool).code?.()
  expect(code({ inputSchema, execute })).toBe(code({ inputSchema, execute }))
  expect(code({ inputSchema, execute: () => 'rainy' })).not.toBe(code({ inputSchema, execute }))
  expect(code({ inputSchema, execute, toModelOutput: () => 'x' })).not.toBe(code({ inputSchema, execute }))
  expect(code({ inputSchema })).toBeUndefined()
})
