/** A test of an agent, as users write it. It is copied to `agent.test.ts` beside the installed package. */
import { defineAgent, defineTool, openHoldpoint } from 'holdpoint'
import { scriptedModel } from 'holdpoint/testing'
import { expect, test } from 'vitest'

test('a refund waits for a person, and happens once', async () => {
  const paid: unknown[] = []
  const refund = defineTool({
    name: 'refund',
    inputSchema: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
    needsApproval: true,
    execute: ({ amount }) => paid.push(amount),
  })
  const model = scriptedModel([{ calls: [{ name: 'refund', args: { amount: 7 } }] }, 'Done.'])
  const agent = defineAgent({ name: 'support', model, tools: [refund] })
  await using holdpoint = await openHoldpoint({ store: 'memory:', agents: [agent] })
  const run = await holdpoint.start({ agent: 'support', input: 'Refund order 7' })
  expect(await holdpoint.advance(run.id)).toMatchObject({ status: 'waiting' })
  expect(paid).toEqual([])
  const [hold] = await holdpoint.holds({ status: 'open', limit: 50 })
  await holdpoint.decide(hold?.id ?? '', { verdict: 'approve', decided_by: 'ana', surface: 'code' })
  expect(await holdpoint.advance(run.id)).toMatchObject({ status: 'done' })
  expect(paid).toEqual([7])
})
