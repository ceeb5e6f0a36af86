/**
 * A process over the built library. ACT is `start` (begins a run and advances it), `approve` (decides its only hold) or
 * `advance`; prints what became of it. The agent `worker` brings a mock model of the AI SDK of specification VERSION;
 * without VERSION the agent is known and brings none.
 */
import { defineAgent, defineTool, openHoldpoint } from '../../dist/index.js'
import { mockLanguageModel } from './mock-language-model.ts'

const { STORE, ACT, RUN, VERSION } = process.env

const turns = [{ text: 'Paying.', calls: [{ id: 'tc_1', name: 'refund', args: { order: 7 } }] }, { text: 'Paid.' }]
const refund = defineTool({
  name: 'refund',
  inputSchema: { type: 'object' },
  needsApproval: true,
  execute: async () => ({ paid: true }),
})
const model = VERSION ? mockLanguageModel(VERSION, turns) : undefined
const agent = defineAgent({ name: 'worker', tools: [refund], temperature: 0.3, ...(model && { model }) })

await using holdpoint = await openHoldpoint({ store: `sqlite:${STORE}`, agents: [agent] })
try {
  const id = ACT === 'start' ? (await holdpoint.start({ agent: 'worker', input: 'go' })).id : RUN
  if (ACT === 'approve') {
    const [hold] = await holdpoint.holds({ status: 'open' })
    await holdpoint.decide(hold.id, { verdict: 'approve', decided_by: 'ana', surface: 'test' })
  }
  const view = ACT === 'approve' ? await holdpoint.run(id) : await holdpoint.advance(id)
  const { status, answer, usage, checkpoint_id, profile } = view
  const { model: name, agent_model } = profile
  const asked = model?.doStreamCalls.map(({ temperature, prompt }) => [temperature, prompt.at(-1)])
  console.log(JSON.stringify({ id, status, answer, usage, checkpoint_id, model: name, agent_model, asked }))
} catch ({ code, message, hint }) {
  console.log(JSON.stringify({ refused: { code, message, hint } }))
}
