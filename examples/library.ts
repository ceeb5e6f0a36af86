/** The main job from code: start, wait, decide, go on. Run it with `node examples/library.ts` after `npm run build`. */
import { defineAgent, defineTool, type Model, openHoldpoint } from 'holdpoint'
import { z } from 'zod'

const refund = defineTool({
  name: 'refund',
  description: 'Pay money back',
  inputSchema: z.object({ order: z.string(), amount: z.number() }),
  needsApproval: ({ amount }) => amount > 100,
  execute: async ({ order, amount }, { idempotencyKey }) => `paid ${amount} for ${order} (${idempotencyKey})`,
})

/** Stands in for a real one: asks for a refund, then says what came of it. */
const model: Model = {
  id: 'example',
  answer: async ({ messages }) => {
    const last = messages.at(-1)
    const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
    if (last?.role === 'tool') return { text: `Done: ${String(last.content)}`, calls: [], usage, finish_reason: 'stop' }
    const call = { id: 'call_1', name: 'refund', arguments: '{"order":"7","amount":250}', metadata: null }
    return { text: 'I will pay it back.', calls: [call], usage, finish_reason: 'tool-calls' }
  },
}

const agent = defineAgent({
  name: 'support',
  instructions: 'Help with orders.',
  model,
  tools: [refund],
  policy: { default: 'prompt' },
})

await using holdpoint = await openHoldpoint({ store: 'memory:', agents: [agent] })
const run = await holdpoint.start({ agent: 'support', input: 'Refund order 7' })
console.log((await holdpoint.advance(run.id)).status)

const [hold] = await holdpoint.holds({ status: 'open', limit: 50 })
if (!hold) throw new Error('nothing waits')
console.log(`${hold.tool} ${JSON.stringify(hold.arguments)}`)
const receipts = await Promise.all([
  holdpoint.decide(hold.id, { verdict: 'approve', decided_by: 'ana', surface: 'code' }),
  holdpoint.decide(hold.id, { verdict: 'reject', decided_by: 'ben', surface: 'code' }),
])
console.log(receipts.map(({ outcome }) => outcome).join(', '))

const done = await holdpoint.advance(run.id)
console.log('answer' in done ? done.answer : done.status)
