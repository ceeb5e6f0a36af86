import { expect, test } from 'vitest'
import { defineAgent, defineTool, openHoldpoint } from '../../src/index.ts'
import { scriptedModel } from '../../src/models/scripted-model.ts'
import { advanced, aWorkplace, call, onlyHold, openHold, results, started } from './workplace.ts'

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
  await holdpoint.advance(id, { changes: { workdir: process.cwd() }, by: 'ana' })
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

/** A call of `wipe` after an approval in words; `turns` are those between. */
function aWiper(...turns: readonly object[]) {
  const request = call('request', 'request_approval', { action: 'wipe', reason: 'it is full' })
  return aWorkplace(it => ({
    script: [{ calls: [request] }, ...turns, 'Done.'] as never,
    tools: [
      'request_approval',
      'ask_human',
      it.held('pay'),
      it.held('wipe', { demandsApproval: () => ({ action: 'wipe' }) }),
    ],
    policy: { default: 'prompt' },
    holdScope: 'batch',
  }))
}

test('P1: an approval in words that was not used before a fork covers a call in the old thread, and none in the fork', async () => {
  await using place = await aWiper(
    { calls: [call('q', 'ask_human', { question: 'Now?' })] },
    { calls: [call('w', 'wipe')] },
  )
  await using holdpoint = await place.open()
  const { id } = await started(holdpoint)
  await advanced(holdpoint, id)
  await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'approve', ...ANA })
  const { checkpoint_id } = await advanced(holdpoint, id)
  const fork = await holdpoint.fork(checkpoint_id ?? '')
  const both = await holdpoint.holds({ status: 'open' })
  await holdpoint.decideMany(both.map(hold => ({ hold_id: hold.id, verdict: 'respond', value: 'yes', ...ANA })))
  expect(results(await advanced(holdpoint, fork.run_id)).at(-1)).toEqual([
    'w',
    expect.stringContaining('APPROVAL_REQUIRED'),
  ])
  expect(results(await advanced(holdpoint, id)).at(-1)).toEqual(['w', 'wipe done'])
  expect(place.effects).toEqual(['wipe'])
})

test('P1: what was approved in words and waits for its batch is asked about in a fork', async () => {
  await using place = await aWiper({ calls: [call('w', 'wipe'), call('p', 'pay')] })
  await using holdpoint = await place.open()
  const { id } = await started(holdpoint)
  await advanced(holdpoint, id)
  await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'approve', ...ANA })
  const { checkpoint_id } = await advanced(holdpoint, id)
  const fork = await holdpoint.fork(checkpoint_id ?? '')
  const both = await holdpoint.holds({ status: 'open' })
  await holdpoint.decideMany(both.map(hold => ({ hold_id: hold.id, verdict: 'approve', ...ANA })))
  expect(await advanced(holdpoint, id)).toMatchObject({ status: 'done' })
  expect(await advanced(holdpoint, fork.run_id)).toMatchObject({ status: 'waiting', holds: [{ call_id: 'w' }] })
  expect(place.effects).toEqual(['wipe', 'pay'])
  await holdpoint.decide((await openHold(holdpoint, 'w')).id, { verdict: 'approve', ...ANA })
  expect(await advanced(holdpoint, fork.run_id)).toMatchObject({ status: 'done' })
  expect(place.effects.toSorted()).toEqual(['pay', 'pay', 'wipe', 'wipe'])
  expect(await holdpoint.audit.explain(fork.run_id)).toMatchObject({ faults: [] })
})
