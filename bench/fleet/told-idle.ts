/** How soon a page knows that an agent rests: it is told that something changed, and looks. */
import { connectHoldpoint } from 'holdpoint/client'
import type { AgentSummary } from '../../src/runtime/face/agents.ts'
import { Served, tokensOf } from '../served.ts'
import { both, type Row } from '../table.ts'
import type { FleetHome } from './fleet-home.ts'

const TURNS = 100

export async function toldIdle(home: FleetHome, agent: AgentSummary): Promise<Row[]> {
  await using served = await Served.start(home.directory, { args: ['--no-work'] })
  const [token = ''] = await tokensOf(home.app.holdpoint, 1)
  const { agents, changes } = connectHoldpoint({ url: served.url, token })
  const over = new AbortController()
  let [looked, shown, wake] = [0, '', () => {}]
  const look = async (news: AsyncIterable<unknown>) => {
    for await (const _ of news) {
      const begun = performance.now()
      const { status } = await agents.find(agent.id)
      if (begun < looked) continue
      ;[looked, shown] = [begun, status]
      wake()
    }
  }
  const { signal } = over
  const page = Promise.all([look(agents.changes({ signal })), look(changes({ signal }))])
  using client = await home.attach(agent, 'writer')
  await client.frame('welcome')
  const all: number[] = []
  for (let n = 0; n < TURNS; n += 1) {
    client.send('hi')
    await client.event('checkpoint.named')
    const turn = performance.now()
    await client.until(({ type, status }) => type === 'status' && status === 'idle')
    const idle = performance.now()
    while (shown !== 'idle' || looked < turn) await new Promise<void>(resolve => (wake = resolve))
    all.push(Math.max(0, performance.now() - idle))
  }
  over.abort()
  await page
  return both('an agent that rests, until a page over HTTP has it as idle, ms', all, '500')
}
