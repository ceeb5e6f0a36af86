import { expect, test } from 'vitest'
import { defineAgent, defineTool, openHoldpoint } from '../../src/index.ts'
import { scriptedModel } from '../../src/models/scripted-model.ts'

const ANA = { decided_by: 'ana', surface: 'test' } as const

test('P1: an approval that was given and not used before a fork is asked for anew in the fork, with its edit', async () => {
  const paid: unknown[] = []
  const pay = defineTool({ name: 'pay', inputSchema: { type: 'object' }, execute: async args => paid.push(args) })
  const calls = ['A', 'B'].map(id => ({ id, name: 'pay', args: { to: id } }))
  const agent = defineAgent({
    name: 'clerk',
    model: scriptedModel([{ calls }, { text: 'done' }]),
    tools: [pay],
    holdScope: 'batch',
    policy: { default: 'prompt' },
  })
  await using holdpoint = await openHoldpoint({ store: 'memory:', agents: [agent] })
  const { id, thread_id } = await holdpoint.start({ agent: 'clerk', input: 'go' })
  await holdpoint.advance(id)
  const [a, b] = await holdpoint.holds({ run_id: id, status: 'open' })
  await holdpoint.decide(a?.id ?? '', { verdict: 'edit', arguments: { to: 'ann' }, ...ANA })
  // Nothing of the batch runs yet: B is open. The advance names a checkpoint behind the decision.
  await holdpoint.advance(id, { changes: { workdir: process.cwd() } })
  const last = (await holdpoint.checkpoints(thread_id)).at(-1)
  const forked = await holdpoint.fork(last?.checkpoint_id ?? '')
  await holdpoint.decide(b?.id ?? '', { verdict: 'reject', ...ANA })
  expect(await holdpoint.advance(id)).toMatchObject({ status: 'done' })
  expect(paid).toEqual([{ to: 'ann' }])

  expect(await holdpoint.advance(forked.run_id)).toMatchObject({ status: 'waiting' })
  const open = await holdpoint.holds({ run_id: forked.run_id, status: 'open' })
  expect(open.map(hold => [hold.call_id, hold.arguments])).toEqual([
    ['B', { to: 'B' }],
    ['A', { to: 'ann' }],
  ])
  expect(paid).toHaveLength(1)
  await holdpoint.decideMany(open.map(hold => ({ hold_id: hold.id, verdict: 'approve', ...ANA })))
  expect(await holdpoint.advance(forked.run_id)).toMatchObject({ status: 'done' })
  expect(paid).toEqual([{ to: 'ann' }, { to: 'ann' }, { to: 'B' }])
})
