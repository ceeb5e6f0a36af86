import { setTimeout as delay } from 'node:timers/promises'
import { memoryOf } from '../process-figures.ts'
import type { Row } from '../table.ts'
import type { AgentClient } from './agent-client.ts'
import type { FleetHome } from './fleet-home.ts'

const VIEWERS = 10
/** Some 7 MB of frames: more than is kept for one viewer. */
const SAYS = 'say 30000 at 10000'

/** An agent at rest collects its garbage after a second, and gives the memory back some seconds later. */
export const TIDY_MS = 15_000

/** What an agent keeps for viewers that never read, beside a writer that does. */
export async function silentViewers(home: FleetHome): Promise<Row[]> {
  const agent = await home.spawn('hi')
  const { agent: pid } = await home.processesOf(agent)
  using writer = await home.attach(agent, 'writer')
  await writer.frame('welcome')
  const alone = await ownAfterStream(writer, pid)
  const viewers: AgentClient[] = []
  for (let n = 0; n < VIEWERS; n += 1) viewers.push(await home.attach(agent))
  // They are welcomed.
  await delay(1_000)
  const beside = await ownAfterStream(writer, pid)
  for (const viewer of viewers) viewer[Symbol.dispose]()
  return [{ figure: 'a viewer that never reads, MB each', value: (beside - alone) / VIEWERS, wanted: '4' }]
}

async function ownAfterStream(writer: AgentClient, pid: number): Promise<number> {
  writer.send(SAYS)
  await writer.frame('delta')
  await writer.until(({ type, status }) => type === 'status' && status === 'idle')
  await delay(TIDY_MS)
  return memoryOf(pid).own
}
