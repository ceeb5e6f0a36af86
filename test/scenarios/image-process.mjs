/**
 * A process over the built library. ACT is `start` (begins a run with INPUT, a text or parts in JSON, and advances it) or
 * `approve` (approves the only hold and advances its run); prints what became of it. The agent `worker` asks MODEL. Its
 * tool `look` returns the image DATA (base64), and its tool `deploy` needs an approval.
 */
import { defineAgent, defineTool, openHoldpoint, toolParts } from '../../dist/index.js'

const { STORE, ACT, INPUT, MODEL, DATA } = process.env

const look = defineTool({
  name: 'look',
  inputSchema: { type: 'object' },
  needsApproval: false,
  execute: async () =>
    toolParts([
      { type: 'text', text: 'The screen.' },
      { type: 'image', media_type: 'image/png', data: DATA },
    ]),
})
const deploy = defineTool({
  name: 'deploy',
  inputSchema: { type: 'object' },
  needsApproval: true,
  execute: async () => 'deployed',
})
const agent = defineAgent({ name: 'worker', model: MODEL, tools: [look, deploy] })

await using holdpoint = await openHoldpoint({ store: `sqlite:${STORE}`, agents: [agent] })
const [hold] = await holdpoint.holds({ status: 'open' })
if (ACT === 'approve') await holdpoint.decide(hold.id, { verdict: 'approve', decided_by: 'ana', surface: 'test' })
const id = ACT === 'approve' ? hold.run_id : (await holdpoint.start({ agent: 'worker', input: JSON.parse(INPUT) })).id
const { status, answer, messages } = await holdpoint.advance(id)
console.log(JSON.stringify({ status, answer, messages }))
