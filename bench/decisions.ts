import {
  type AgentDefinition,
  defineAgent,
  defineTool,
  type Holdpoint,
  type ModelAnswer,
  openHoldpoint,
} from 'holdpoint'
import { BareCommits } from './cost.ts'
import { APPROVAL } from './held-agent.ts'
import { percentile, type Row } from './table.ts'
import { COUNTS, waitingStore } from './waiting.ts'

const ROUNDS = 300
const WARM_UP = 50

/** From the click to the first line of the tool, with other runs waiting in the same store. */
export async function measureDecisions(directory: string): Promise<Row[]> {
  const rows: Row[] = []
  for (const count of COUNTS) {
    const site = new Site()
    const store = `sqlite:${waitingStore(directory, count)}`
    await using holdpoint = await openHoldpoint({ store, agents: [site.agent] })
    rows.push({
      'others waiting': Math.max(count, 1),
      ...(await timesIn(holdpoint, site, `${directory}/bare-${count}.db`)),
    })
  }
  return rows
}

/** Live, at rest and a bare commit take turns: what the machine does meanwhile hits all of them. */
async function timesIn(holdpoint: Holdpoint, site: Site, barePath: string): Promise<Row> {
  using bare = new BareCommits(barePath)
  const times: { live: number; rest: number; bare: number }[] = []
  for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
    times.push({
      live: await decideLive(holdpoint, site),
      rest: await decideAtRest(holdpoint, site),
      bare: bare.time(),
    })
  }
  const measured = times.slice(WARM_UP)
  const at = (share: number, name: 'live' | 'rest' | 'bare') =>
    percentile(
      measured.map(each => each[name]),
      share,
    )
  return {
    'sibling runs: p50 ms': at(0.5, 'live'),
    'p99 ms': at(0.99, 'live'),
    'run at rest: p50 ms': at(0.5, 'rest'),
    'its p99 ms': at(0.99, 'rest'),
    'bare commit: p50 ms': at(0.5, 'bare'),
    'bare p99 ms': at(0.99, 'bare'),
  }
}

/** An agent whose tools tell when they begin, and one of them ends when it is told to. */
class Site {
  begun: PromiseWithResolvers<void> = Promise.withResolvers()
  startedAt = 0
  release: () => void = () => {}
  readonly agent: AgentDefinition

  constructor() {
    const slow = defineTool({
      name: 'slow',
      inputSchema: { type: 'object' },
      execute: () => {
        const { promise, resolve } = Promise.withResolvers<void>()
        this.release = resolve
        this.begun.resolve()
        return promise
      },
    })
    const gated = defineTool({
      name: 'gated',
      inputSchema: { type: 'object' },
      needsApproval: true,
      execute: () => {
        this.startedAt = performance.now()
        this.release()
      },
    })
    const model = { id: 'bench', answer: async ({ messages }: { messages: readonly unknown[] }) => answer(messages) }
    this.agent = defineAgent({ name: 'site', model, tools: [slow, gated], policy: { default: 'auto' } })
  }
}

/** The input says which calls are made. */
function answer(messages: readonly unknown[]): ModelAnswer {
  const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 }
  if (messages.length > 1) return { text: 'done', calls: [], usage, finish_reason: 'stop' }
  const { content } = messages[0] as { content: string }
  const calls = content.split(' ').map(name => ({ id: name, name, arguments: '{}', metadata: null }))
  return { text: '', calls, usage, finish_reason: 'tool-calls' }
}

/** While the process that is told to decide has a sibling of the call running. */
async function decideLive(holdpoint: Holdpoint, site: Site): Promise<number> {
  site.begun = Promise.withResolvers()
  const { id } = await holdpoint.start({ agent: 'site', input: 'slow gated' })
  const done = holdpoint.advance(id)
  await site.begun.promise
  const clicked = performance.now()
  await holdpoint.decide(await openHold(holdpoint, id), APPROVAL)
  if ((await done).status !== 'done') throw new Error('the run did not finish')
  return site.startedAt - clicked
}

async function decideAtRest(holdpoint: Holdpoint, site: Site): Promise<number> {
  const { id } = await holdpoint.start({ agent: 'site', input: 'gated' })
  await holdpoint.advance(id)
  const clicked = performance.now()
  await holdpoint.decide(await openHold(holdpoint, id), APPROVAL)
  if ((await holdpoint.advance(id)).status !== 'done') throw new Error('the run did not finish')
  return site.startedAt - clicked
}

async function openHold(holdpoint: Holdpoint, run_id: string): Promise<string> {
  const [hold] = await holdpoint.holds({ run_id, status: 'open' })
  if (!hold) throw new Error('nothing waits')
  return hold.id
}
