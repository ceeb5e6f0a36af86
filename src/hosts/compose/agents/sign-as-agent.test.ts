import { afterEach, beforeEach, expect, test } from 'vitest'
import { scriptedModel } from '../../../models/scripted-model.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import { defineTool } from '../../../tools/define/define-tool.ts'
import { defineAgent } from '../../agents/define-agent.ts'
import { openHoldpoint } from './open-holdpoint.ts'
import { signAsAgent } from './sign-as-agent.ts'

const BOT = 'agent:bot/run_1'
const ana = { decided_by: 'ana', surface: 'code' } as const

let holdpoint: Holdpoint
let signed: Holdpoint
let run: string
let thread: string
let hold: string

beforeEach(async () => {
  const deploy = defineTool({
    name: 'deploy',
    inputSchema: { type: 'object' },
    needsApproval: true,
    execute: () => 'done',
  })
  const model = scriptedModel([{ calls: [{ id: 't1', name: 'deploy', args: {} }] }, 'Done.'])
  const worker = defineAgent({ name: 'worker', model, tools: [deploy], deciders: ['ana'] })
  holdpoint = await openHoldpoint({ store: 'memory:', agents: [worker] })
  signed = signAsAgent(holdpoint, BOT)
  const started = await signed.start({ agent: 'worker', input: 'go', author: 'ana' })
  await holdpoint.advance(started.id)
  run = started.id
  thread = started.thread_id
  hold = (await holdpoint.holds({ status: 'open' }))[0]?.id ?? ''
})
afterEach(() => holdpoint[Symbol.asyncDispose]())

test('P1: no decision within an agent is signed by a person, whichever verb takes it', async () => {
  const approve = { verdict: 'approve', ...ana } as const
  const refused = { outcome: 'refused', error: { code: 'not_a_decider' } }
  expect(await signed.decide(hold, approve)).toMatchObject(refused)
  expect(await signed.decideMany([{ hold_id: hold, ...approve }])).toMatchObject([refused])
  expect(await signed.answer(hold, { text: 'yes', ...ana })).toMatchObject(refused)
  expect(await signed.advance(run, { decisions: [{ hold_id: hold, ...approve }] })).toMatchObject({
    status: 'refused',
    receipts: [refused],
  })
  expect(await holdpoint.hold(hold)).toMatchObject({ status: 'open', decision: null })
})

test('P1: no run is widened within an agent by the name of a person', async () => {
  const changes = { policy: { default: 'auto', tools: {}, rules: [], on_never: 'reject' } } as const
  await expect(signed.advance(run, { changes, by: 'ana' })).rejects.toMatchObject({ code: 'may_not_widen' })
})

test('P10: what is said, asked and cancelled within an agent is on record as its own', async () => {
  await signed.assign(hold, { assignee: 'ana', by: 'ana' })
  await signed.audit.shown([hold], { to: 'ana', surface: 'code', inFull: true })
  await signed.cancel(run, { by: 'ana' })
  const actors = (await Array.fromAsync(holdpoint.audit.list({}))).map(({ record }) => record?.actor)
  expect(actors).toContain(BOT)
  expect(actors).not.toContain('ana')
  const journal = JSON.stringify(await holdpoint.journal(thread))
  expect(journal).toContain(`"author":"${BOT}"`)
})

test('P1: what is said to another agent, and what is started, is signed by this one', async () => {
  const asked: unknown[] = []
  const noted = (...args: unknown[]) => Promise.resolve(asked.push(args))
  const agents = { spawn: noted, send: noted, kill: noted, fork: noted, remove: noted, wait: noted }
  const face = signAsAgent({ ...holdpoint, agents } as unknown as Holdpoint, BOT)
  const asker = { by: 'ana', surface: 'code' }
  const starter = { ...asker, runId: null }
  await face.agents.spawn({} as never, starter)
  await face.agents.send('docs', { text: 'go', author: 'ana', surface: 'code' })
  await face.agents.kill('docs', asker)
  await face.agents.fork('docs', { starter, name: null, text: null })
  await face.agents.remove('docs', asker)
  await face.agents.wait('docs', { asker, signal: AbortSignal.abort() })
  expect(JSON.stringify(asked)).not.toContain('ana')
  expect(JSON.stringify(asked).split(BOT)).toHaveLength(7)
})

test('other verbs, and what a face has beside verbs, are as they are', async () => {
  expect(signed.storeUrl).toBe(holdpoint.storeUrl)
  expect((await signed.run(run)).id).toBe(run)
  expect(await signed.hold(hold)).toMatchObject({ status: 'open' })
})
