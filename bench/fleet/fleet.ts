/** Agents in the background, as those see them who talk to them. */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { AgentSummary } from '../../src/runtime/face/agents.ts'
import { cpuOf, memoryOf } from '../process-figures.ts'
import { both, median, type Row, times } from '../table.ts'
import type { AgentClient } from './agent-client.ts'
import { emptyNode, FleetHome } from './fleet-home.ts'
import { parkedRows } from './parked.ts'
import { silentViewers, TIDY_MS } from './silent-viewers.ts'
import { toldIdle } from './told-idle.ts'

const ATTACHES = 15
const WELCOMES = 200
const PINGS = 1_000
const MESSAGES = 200
const VIEWERS = 100
const RATE = 200
const SECONDS = 6
export async function measureFleet(directory: string): Promise<Row[]> {
  await using home = await FleetHome.open(join(directory, 'fleet'))
  const agent = await home.spawn('hi')
  return [
    ...(await attaching(home, agent)),
    ...(await talking(home, agent)),
    ...(await toldIdle(home, agent)),
    ...(await idling(home)),
    ...(await watching(home)),
    ...(await silentViewers(home)),
    ...(await parkedRows(home, agent)),
  ]
}

async function attaching(home: FleetHome, agent: AgentSummary): Promise<Row[]> {
  const [lines, empty, welcomes]: [number[], number[], number[]] = [[], [], []]
  for (let n = 0; n < ATTACHES; n += 1) {
    empty.push(emptyNode())
    lines.push(await home.toFirstLine('agents', 'attach', agent.id, '--read-only'))
  }
  for (let n = 0; n < WELCOMES; n += 1) {
    const start = performance.now()
    using client = await home.attach(agent)
    await client.frame('welcome')
    welcomes.push(performance.now() - start)
  }
  const over = median(lines) - median(empty)
  return [
    { figure: '`agents attach`, spawn to first line, ms above node -e 0', value: over, wanted: '100' },
    { figure: 'the same, x node -e 0', value: median(lines) / median(empty), wanted: '' },
    ...both('connection to welcome, ms', welcomes, '20'),
  ]
}

async function talking(home: FleetHome, agent: AgentSummary): Promise<Row[]> {
  using client = await home.attach(agent, 'writer')
  await client.frame('welcome')
  const pings = await times(PINGS, async n => {
    client.say({ type: 'ping', n })
    await client.frame('pong')
  })
  const turns: number[] = []
  for (let n = 0; n < MESSAGES; n += 1) {
    const start = performance.now()
    client.send('hi')
    // The run is taken up: the model is asked next.
    await client.event('checkpoint.named')
    turns.push(performance.now() - start)
    await client.until(({ type, status }) => type === 'status' && status === 'idle')
  }
  return [
    { figure: 'a frame there and back, p50 ms', value: median(pings), wanted: '0.1' },
    ...both('message to the begin of its turn, ms', turns, '50'),
  ]
}

async function idling(home: FleetHome): Promise<Row[]> {
  const { agent, supervisor } = await home.processesOf(await home.spawn('hi'))
  await delay(TIDY_MS)
  const [own, beside] = [memoryOf(agent), memoryOf(supervisor)]
  const before = cpuOf(agent)
  await delay(4_000)
  return [
    { figure: 'an idle agent that has asked a provider, MB of its own', value: own.own, wanted: '30' },
    { figure: 'the process that watches over it, MB of its own', value: beside.own, wanted: '' },
    { figure: 'CPU of an idle agent, %', value: (cpuOf(agent) - before) / 40, wanted: '0' },
  ]
}

/** The share of a core that an agent takes while it streams, with one viewer and with many. */
async function watching(home: FleetHome): Promise<Row[]> {
  const agent = await home.spawn('hi')
  const { agent: pid } = await home.processesOf(agent)
  using writer = await home.attach(agent, 'writer')
  await writer.frame('welcome')
  const alone = await cpuWhileStreaming(writer, pid)
  const viewers: AgentClient[] = []
  for (let n = 0; n < VIEWERS; n += 1) {
    const viewer = await home.attach(agent)
    await viewer.frame('welcome')
    viewer.drain()
    viewers.push(viewer)
  }
  const watched = await cpuWhileStreaming(writer, pid)
  for (const viewer of viewers) viewer[Symbol.dispose]()
  return [
    { figure: `CPU of an agent at ${RATE} deltas/s, one client, %`, value: alone, wanted: '' },
    { figure: `the same with ${VIEWERS} viewers, %`, value: watched, wanted: '30' },
  ]
}

async function cpuWhileStreaming(writer: AgentClient, pid: number): Promise<number> {
  writer.send(`say ${RATE * (SECONDS + 2)} at ${RATE}`)
  await writer.frame('delta')
  await delay(1_000)
  const [before, start] = [cpuOf(pid), performance.now()]
  await delay(SECONDS * 1_000)
  const share = ((cpuOf(pid) - before) / (performance.now() - start)) * 100
  await writer.until(({ type, status }) => type === 'status' && status === 'idle')
  return share
}
