/** A program of a user that names a part of each entry of the package. It is type-checked and bundled as users do it. */
import {
  type AdvanceResult,
  defineAgent,
  defineTool,
  type Hold,
  openHoldpoint,
  type Receipt,
  redactSecrets,
  spendLimit,
  toTool,
} from 'holdpoint'
import type { RemoteHoldpoint } from 'holdpoint/client'
import { objectionToClaim } from 'holdpoint/stores'
import { handClock, scriptedModel } from 'holdpoint/testing'

const refund = defineTool({
  name: 'refund',
  description: 'Pay money back',
  inputSchema: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
  needsApproval: true,
  execute: async ({ amount }, { idempotencyKey }) => `paid ${amount} ${idempotencyKey === '' ? 'twice' : 'once'}`,
})
const weather = toTool('weather', {
  inputSchema: { type: 'object' },
  execute: async (_input: unknown, { toolCallId }: { toolCallId: string }) => toolCallId,
})
const agent = defineAgent({
  name: 'support',
  model: scriptedModel([{ calls: [{ name: 'refund', args: { amount: 250 } }] }, 'Done.']),
  tools: [refund, weather],
  plugins: [spendLimit({ maxTokens: 200_000 }), redactSecrets()],
})

await using holdpoint = await openHoldpoint({
  store: 'memory:',
  agents: [agent],
  clock: handClock('2030-01-01T00:00:00.000Z'),
})
const run = await holdpoint.start({ agent: 'support', input: 'Refund order 7' })
/** What pages get. */
export type Waiting = Awaited<ReturnType<RemoteHoldpoint['holds']>>
const waiting: AdvanceResult = await holdpoint.advance(run.id)
const [hold]: readonly Hold[] = await holdpoint.holds({ status: 'open', limit: 50 })
if (!hold) throw new Error('nothing waits')
const receipt: Receipt = await holdpoint.decide(hold.id, { verdict: 'approve', decided_by: 'ana', surface: 'code' })
const done = await holdpoint.advance(run.id)
console.log(waiting.status, receipt.outcome, 'answer' in done ? done.answer : done.status, typeof objectionToClaim)
