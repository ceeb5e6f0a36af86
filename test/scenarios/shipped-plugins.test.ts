import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  type AgentOptions,
  type DecisionVerdict,
  defineAgent,
  defineTool,
  type Hold,
  type Holdpoint,
  openHoldpoint,
  redactSecrets,
  spendLimit,
} from '../../src/index.ts'
import type { ScriptTurn } from '../../src/models/script.ts'
import { scriptedModel } from '../../src/models/scripted-model.ts'

/** A store of its own in which one agent works, in one life after another: whatever is asked, it is opened anew. */
async function aHouse(turns: readonly (ScriptTurn | string)[], options: Partial<AgentOptions>) {
  const directory = await mkdtempDisposable(join(tmpdir(), 'holdpoint-plugins-'))
  const file = join(directory.path, 'holdpoint.db')
  const effects: string[] = []
  const pay = defineTool({
    name: 'pay',
    inputSchema: { type: 'object' },
    execute: async (_args, { toolCallId }) => {
      effects.push(toolCallId)
      return 'paid'
    },
  })
  const agent = defineAgent({
    name: 'worker',
    model: scriptedModel(turns),
    tools: [pay],
    policy: { default: 'auto' },
    ...options,
  })
  const open = () => openHoldpoint({ store: `sqlite:${file}`, agents: [agent] })
  const within = async <T>(work: (holdpoint: Holdpoint) => Promise<T>): Promise<T> => {
    await using holdpoint = await open()
    return await work(holdpoint)
  }
  const { id } = await within(holdpoint => holdpoint.start({ agent: 'worker', input: 'go' }))
  return {
    effects,
    file,
    advance: () =>
      within(async holdpoint => {
        const view = await holdpoint.advance(id)
        if (!('messages' in view)) throw new Error(`the run is ${view.status}`)
        return view
      }),
    decide: ({ id: hold }: Hold, verdict: DecisionVerdict) =>
      within(holdpoint => holdpoint.decide(hold, { verdict, decided_by: 'ana', surface: 'test' })),
    [Symbol.asyncDispose]: () => directory.remove(),
  }
}

const pays = (tokens: number, ...ids: readonly string[]): ScriptTurn => ({
  calls: ids.map(id => ({ id, name: 'pay', args: { id } })),
  usage: { input: tokens, output: 0 },
})

const MESSAGES = [
  'This run is over its spend limit: it has spent 110 tokens (limit 100). Approve to run pay and to let the run spend up to 210 tokens; reject to refuse this call and leave the limit as it is.',
  'This run is over its spend limit: it has spent 260 tokens (limit 210). Approve to run pay and to let the run spend up to 360 tokens; reject to refuse this call and leave the limit as it is.',
] as const

test.for(['batch', 'call'] as const)(
  'P1: a run over its spend limit waits, goes on for one more allowance once approved, and then waits again (%s)',
  async holdScope => {
    const turns = [pays(60, 'a'), pays(50, 'b'), pays(100, 'c'), pays(50, 'd'), 'Done.']
    await using house = await aHouse(turns, { holdScope, plugins: [spendLimit({ maxTokens: 100 })] })
    const first = await house.advance()
    expect(first).toMatchObject({
      status: 'waiting',
      holds: [{ call_id: 'b', kind: 'approval', message: MESSAGES[0] }],
    })
    expect(house.effects).toEqual(['a'])

    await house.decide(first.holds[0] as Hold, 'approve')
    const second = await house.advance()
    expect(second).toMatchObject({ status: 'waiting', holds: [{ call_id: 'd', message: MESSAGES[1] }] })
    expect(house.effects).toEqual(['a', 'b', 'c'])

    await house.decide(second.holds[0] as Hold, 'reject')
    expect(await house.advance()).toMatchObject({ status: 'done', answer: 'Done.' })
    expect(house.effects).toEqual(['a', 'b', 'c'])
  },
)

test.for(['batch', 'call'] as const)(
  'P1: of a batch over the spend limit what is rejected does not run, and a rejection alone raises nothing (%s)',
  async holdScope => {
    const turns = [pays(110, 'a', 'b'), pays(0, 'c', 'd'), pays(0, 'e'), 'Done.']
    await using house = await aHouse(turns, { holdScope, plugins: [spendLimit({ maxTokens: 100 })] })
    const first = await house.advance()
    for (const hold of first.holds) await house.decide(hold, 'reject')
    const second = await house.advance()
    expect(second.holds.map(hold => hold.call_id)).toEqual(['c', 'd'])
    for (const hold of second.holds) await house.decide(hold, hold.call_id === 'c' ? 'reject' : 'approve')
    expect(await house.advance()).toMatchObject({ status: 'done' })
    expect(house.effects).toEqual(['d', 'e'])
  },
)

test('P1: a call that policy and the spend limit hold needs both releases', async () => {
  await using house = await aHouse([pays(110, 'a'), pays(0, 'b'), 'Done.'], {
    policy: { default: 'prompt' },
    plugins: [spendLimit({ maxTokens: 100 })],
  })
  const asked: (readonly [call: string | null, message: string])[] = []
  for (let view = await house.advance(); view.status === 'waiting'; view = await house.advance()) {
    const [hold] = view.holds
    if (!hold) throw new Error('nothing is held')
    asked.push([hold.call_id, hold.message])
    await house.decide(hold, 'approve')
  }
  expect(asked).toEqual([
    ['a', 'May pay run?'],
    ['a', MESSAGES[0]],
    ['b', 'May pay run?'],
  ])
  expect(house.effects).toEqual(['a', 'b'])
})

test('a run over its spend limit that does not pause for approval has its calls refused', async () => {
  await using house = await aHouse([pays(110, 'a'), 'Done.'], {
    pauseOn: [],
    plugins: [spendLimit({ maxTokens: 100 })],
  })
  const done = await house.advance()
  expect(done.messages.find(({ role }) => role === 'tool')?.content).toBe(
    'TOOL_CALL_FORBIDDEN: the run has spent 110 tokens (limit 100), and nobody could be asked: this run does not pause for approval.',
  )
  expect(house.effects).toEqual([])
})

test('secrets in results and errors of tools reach neither the model nor the store', async () => {
  const key = `AKIA${'IOSFODNN7EXAMPLE'}`
  const token = `ghp_${'a1B2'.repeat(9)}`
  const leak = defineTool({
    name: 'leak',
    inputSchema: { type: 'object' },
    execute: async ({ fails }) => {
      if (fails) throw new Error(`401 for https://u:hunter2@example.org with correct horse`)
      return { lines: [`key ${key}`], nested: { [token]: { password: 'hunter2' } }, kept: 7 }
    },
  })
  const calls = [
    { id: 'a', name: 'leak' },
    { id: 'b', name: 'leak', args: { fails: true } },
  ]
  await using house = await aHouse([{ calls }, 'Done.'], {
    tools: [leak],
    plugins: [redactSecrets({ env: { DEPLOY_TOKEN: 'correct horse' } })],
  })
  const { messages } = await house.advance()
  expect(messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
    { lines: ['key [redacted]'], nested: { '[redacted]': { password: '[redacted]' } }, kept: 7 },
    'TOOL_CALL_FAILED: 401 for https://u:[redacted]@example.org with [redacted]',
  ])
  const stored = await readFile(house.file, 'latin1')
  expect([key, token, 'hunter2', 'correct horse'].filter(secret => stored.includes(secret))).toEqual([])
})
