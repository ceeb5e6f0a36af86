/** Many agents that wait for a message without a process. */
import { setTimeout as delay } from 'node:timers/promises'
import type { AgentSummary } from '../../src/runtime/face/agents.ts'
import { cpuOf } from '../process-figures.ts'
import { both, median, type Row, times } from '../table.ts'
import type { FleetHome } from './fleet-home.ts'

const PARKED = 200
const AT_ONCE = 4
const REVIVED = 40
const CHANGES = 500
/** A hundred a second. */
const PAUSE_MS = 10
const PARKS = { idle_timeout_ms: 20, on_idle: 'park' } as const

/** `idle`: an agent whose process is there. */
export async function parkedRows(home: FleetHome, idle: AgentSummary): Promise<Row[]> {
  const before = home.processes.length
  const parked: AgentSummary[] = []
  const each = await times(PARKED / AT_ONCE, async () => {
    parked.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => home.spawn('hi', PARKS)))))
  })
  await delay(1_000)
  const left = home.processes.length - before
  const revived: number[] = []
  for (const agent of parked.slice(0, REVIVED)) revived.push(await toTurn(home, agent))
  return [
    { figure: `processes of ${PARKED} parked agents`, value: left, wanted: '0' },
    { figure: 'an agent from spawn to parked, four at once, ms', value: median(each) / AT_ONCE, wanted: '' },
    ...both('message to a parked agent, to the begin of its turn, ms', revived, '400'),
    ...(await presences(home, parked, idle)),
  ]
}

async function toTurn({ app }: FleetHome, agent: AgentSummary): Promise<number> {
  const { holdpoint } = app
  const threadId = agent.session_id ?? ''
  const over = new AbortController()
  const since = await holdpoint.newestSeq(threadId)
  const start = performance.now()
  await holdpoint.agents.send(agent.id, { text: 'hi', author: 'bench', surface: 'code' })
  for await (const event of holdpoint.follow(threadId, { since, signal: over.signal }))
    if (event.kind === 'checkpoint.named') break
  const ms = performance.now() - start
  over.abort()
  return ms
}

/** Each change of a presence is a commit, at which each process that looks at the store wakes. */
async function presences({ app }: FleetHome, parked: readonly AgentSummary[], idle: AgentSummary): Promise<Row[]> {
  const here = await app.store.presences.find(idle.id)
  if (!here) throw new Error('the idle agent has no process')
  const owners = await Promise.all(
    parked.map(async ({ id }) => ({ task_id: id, invocation: (await app.store.tasks.task(id))?.invocation.n ?? 1 })),
  )
  for (const owner of owners) await app.store.presences.arrive({ ...here, ...owner, endpoint: '', token: 'none' })
  const pid = Number(here.process.split(':')[1])
  const cpu = cpuOf(pid)
  for (let n = 0; n < CHANGES; n += 1) {
    const next = delay(PAUSE_MS)
    const owner = owners[n % owners.length]
    if (owner) await app.store.presences.change(owner, { clients: n })
    await next
  }
  const spent = cpuOf(pid) - cpu
  const list = await times(20, () => app.holdpoint.agents.list({ limit: PARKED }))
  return [
    { figure: 'CPU of an idle agent for each change of another one, ms', value: spent / CHANGES, wanted: '' },
    ...both(`list of ${PARKED} agents, ms`, list, ''),
  ]
}
