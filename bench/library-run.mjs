/** `library-run.mjs start|resume STORE`: a run that waits for its approval, or its approval and its end. Not TypeScript, which starts slower. */
import { defineAgent, defineTool, openHoldpoint } from 'holdpoint'

const [, , verb, store] = process.argv
const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
const work = defineTool({ name: 'work', inputSchema: { type: 'object' }, execute: async () => 'applied' })
const model = {
  id: 'bench',
  answer: async ({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? { text: 'done', calls: [], usage, finish_reason: 'stop' }
      : {
          text: '',
          calls: [{ id: 'c', name: 'work', arguments: '{}', metadata: null }],
          usage,
          finish_reason: 'calls',
        },
}
const agent = defineAgent({ name: 'held', model, tools: [work], policy: { default: 'prompt' } })
await using holdpoint = await openHoldpoint({ store: `sqlite:${store}`, agents: [agent] })
if (verb === 'start') {
  const { id } = await holdpoint.start({ agent: 'held', input: 'go' })
  await holdpoint.advance(id)
} else {
  const [hold] = await holdpoint.holds({ status: 'open' })
  const decisions = [{ hold_id: hold.id, verdict: 'approve', decided_by: 'ana', surface: 'code' }]
  const { status } = await holdpoint.advance(hold.run_id, { decisions })
  if (status !== 'done') process.exit(1)
}
