import { expect, test } from 'vitest'
import { defineAgent, defineTool, openHoldpoint, toTool } from '../../src/index.ts'

const inputSchema = { type: 'object', properties: { order: { type: 'string' } } }
const ofAiSdk = { description: 'Pays back', inputSchema, execute: () => 'paid' }
const refund = defineTool({ name: 'refund', ...ofAiSdk })

const agentWith = (tools: unknown) => () => defineAgent({ name: 'worker', tools: tools as never })

const SHAPES: readonly (readonly [what: string, define: () => unknown, code: string, message: RegExp, hint: RegExp])[] =
  [
    [
      'a tool of the AI SDK in a list',
      agentWith([ofAiSdk]),
      'invalid_agent',
      /no name/,
      /\{ refund: tool \}.*toTool\('refund', tool\)/,
    ],
    [
      'a plain object in a list',
      agentWith([{ name: 'refund', ...ofAiSdk }]),
      'invalid_agent',
      /"refund".*defineTool did not make/,
      /Make it with defineTool/,
    ],
    ['null in a list', agentWith([null]), 'invalid_agent', /null is no tool/, /defineTool/],
    ['a function in a list', agentWith([() => refund]), 'invalid_agent', /a function is no tool/, /defineTool/],
    ['a name in place of the tools', agentWith('refund'), 'invalid_agent', /neither a list nor a record/, /./],
    [
      'one tool in place of the tools',
      agentWith(refund),
      'invalid_tool',
      /"name" cannot be used/,
      /\{ refund: tool \}/,
    ],
    ['null in a record', agentWith({ refund: null }), 'invalid_tool', /no tool of the AI SDK/, /\{ refund: tool \}/],
    ['no options of an agent', () => defineAgent(undefined as never), 'invalid_agent', /no object/, /defineAgent\(\{/],
    [
      'toTool without a name',
      () => toTool(ofAiSdk as never, undefined as never),
      'invalid_tool',
      /no name/,
      /toTool\('refund', tool\)/,
    ],
    ['toTool of a defined tool', () => toTool('refund', refund as never), 'invalid_tool', /already/, /without toTool/],
    [
      'defineTool of a tool of the AI SDK',
      () => defineTool(ofAiSdk as never),
      'invalid_tool',
      /no name/,
      /toTool\('refund', tool\)/,
    ],
    ['defineTool of nothing', () => defineTool(undefined as never), 'invalid_tool', /no object/, /defineTool\(\{/],
  ]

test.for(SHAPES)('%s is refused, and the hint says what to write', ([, define, code, message, hint]) => {
  expect(define).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(message), hint: expect.stringMatching(hint) }),
  )
})

test.each<[string, unknown, RegExp]>([
  ['an agent outside of a list', defineAgent({ name: 'worker' }), /agents is no list; write `agents: \[agent\]`/],
  ['a plain object', [{ name: 'worker' }], /agents\[0\] is no agent; make it with defineAgent/],
  ['nothing', [undefined], /agents\[0\] is no agent/],
])('Holdpoint is not opened with %s in place of agents', async (_, agents, message) => {
  await expect(openHoldpoint({ store: 'memory:', agents: agents as never })).rejects.toMatchObject({
    code: 'invalid_options',
    message: expect.stringMatching(message),
  })
})

test('a record takes both kinds of tools', () => {
  const { tools } = defineAgent({ name: 'worker', tools: { refund, pay: ofAiSdk } })
  expect(tools).toMatchObject([{ name: 'refund' }, { name: 'pay' }])
})
