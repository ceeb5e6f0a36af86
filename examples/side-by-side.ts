/**
 * Two calls wait for people while a third runs; a follower sees all of it. Run it with `node examples/side-by-side.ts`
 * after `npm run build`.
 */
import { defineAgent, defineTool, type Model, openHoldpoint, type Plugin } from 'holdpoint'
import { z } from 'zod'

const NO_USAGE = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }

const pay = defineTool({
  name: 'pay',
  description: 'Pay an invoice',
  inputSchema: z.object({ invoice: z.string() }),
  needsApproval: true,
  execute: async ({ invoice }) => `paid ${invoice}`,
})

const report = defineTool({
  name: 'report',
  description: 'Write the monthly report',
  inputSchema: z.object({}),
  needsApproval: false,
  execute: async () => new Promise(resolve => setTimeout(resolve, 300, 'written')),
})

/** Stands in for a real one: asks for two payments and a report at once. */
const model: Model = {
  id: 'example',
  answer: async ({ messages }) => {
    if (messages.at(-1)?.role === 'tool')
      return { text: 'All done.', calls: [], usage: NO_USAGE, finish_reason: 'stop' }
    const calls = [
      { id: 'A', name: 'pay', arguments: '{"invoice":"17"}', metadata: null },
      { id: 'B', name: 'pay', arguments: '{"invoice":"18"}', metadata: null },
      { id: 'C', name: 'report', arguments: '{}', metadata: null },
    ]
    return { text: '', calls, usage: NO_USAGE, finish_reason: 'tool-calls' }
  },
}

/** Counts what ran, over restarts too: its state is in the journal. */
const counter: Plugin = {
  name: 'counter',
  initialState: 0,
  hooks: { afterToolExecute: ({ state }) => ({ setState: Number(state) + 1 }) },
}

const agent = defineAgent({ name: 'clerk', model, tools: [pay, report], plugins: [counter] })

await using holdpoint = await openHoldpoint({ store: 'memory:', agents: [agent] })
const run = await holdpoint.start({ agent: 'clerk', input: 'Close the month' })

const stop = new AbortController()
const followed = follow()
const advancing = holdpoint.advance(run.id)

const [a, b] = await untilHeld(2)
await holdpoint.decide(a ?? '', { verdict: 'approve', decided_by: 'ana', surface: 'code' }) // starts A, while C still runs
console.log((await advancing).status)
await holdpoint.decide(b ?? '', { verdict: 'reject', reason: 'paid last week', decided_by: 'ben', surface: 'code' })
console.log((await holdpoint.advance(run.id)).status)

stop.abort()
await followed

/** Tells each change of a call's status, as it becomes durable. */
async function follow(): Promise<void> {
  for await (const event of holdpoint.follow(run.thread_id, { signal: stop.signal })) {
    if ('call_id' in event.data && 'status' in event.data) console.log(`${event.data.call_id} ${event.data.status}`)
  }
}

async function untilHeld(count: number): Promise<string[]> {
  for await (const _event of holdpoint.follow(run.thread_id)) {
    const open = await holdpoint.holds({ run_id: run.id, status: 'open' })
    if (open.length === count) return open.map(({ id }) => id)
  }
  return []
}
