import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { defineAgent, defineTool, openHoldpoint } from '../../src/index.ts'
import { scriptedModel } from '../../src/models/scripted-model.ts'

const directory = await mkdtemp(join(tmpdir(), 'holdpoint-closing-'))
afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))

test('P3: closing while a run is advanced stops it at a safe point, and the next process goes on with it', async () => {
  const began = Promise.withResolvers<void>()
  const wait = defineTool({
    name: 'wait',
    inputSchema: { type: 'object' },
    needsApproval: false,
    async execute(_args, { abortSignal }) {
      began.resolve()
      await new Promise(resolve => abortSignal.addEventListener('abort', resolve, { once: true }))
      return 'stopped in time'
    },
  })
  const model = scriptedModel([{ calls: [{ id: 'w', name: 'wait', args: {} }] }, { text: 'done' }])
  const agent = defineAgent({ name: 'waiter', model, tools: [wait] })
  const store = `sqlite:${directory}/closing.db`
  const first = await openHoldpoint({ store, agents: [agent] })
  const { id } = await first.start({ agent: 'waiter', input: 'go' })
  const advancing = first.advance(id)
  await began.promise
  await first[Symbol.asyncDispose]()
  expect(await advancing).toMatchObject({
    status: 'running',
    calls: [{ status: 'succeeded', output: 'stopped in time' }],
  })
  await using second = await openHoldpoint({ store, agents: [agent] })
  expect(await second.advance(id)).toMatchObject({ status: 'done', answer: 'done' })
})

test('to use what was closed is refused in words that say so', async () => {
  const model = scriptedModel([{ text: 'done' }])
  const store = `sqlite:${directory}/closed.db`
  const holdpoint = await openHoldpoint({ store, agents: [defineAgent({ name: 'worker', model })] })
  const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'go' })
  await holdpoint[Symbol.asyncDispose]()
  const uses: Readonly<Record<string, () => Promise<unknown>>> = {
    start: () => holdpoint.start({ agent: 'worker', input: 'go' }),
    advance: () => holdpoint.advance(id),
    run: () => holdpoint.run(id),
    holds: () => holdpoint.holds(),
    cancel: () => holdpoint.cancel(id, { by: 'ana' }),
    decide: () => holdpoint.decide('hold_1', { verdict: 'approve', decided_by: 'ana', surface: 'test' }),
    send: () => holdpoint.send(thread_id, { text: 'hello' }),
    'tasks.list': () => holdpoint.tasks.list(),
    'audit.verify': () => holdpoint.audit.verify(),
  }
  for (const [name, use] of Object.entries(uses)) {
    const thrown = await use().catch((error: unknown) => error)
    expect.soft(thrown, name).toMatchObject({
      code: 'store_closed',
      message: expect.stringContaining('This Holdpoint was closed'),
    })
  }
})
