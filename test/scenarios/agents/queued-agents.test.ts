import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openHoldpoint } from '../../../src/index.ts'
import { openDatabase } from '../../open-database.ts'
import { patienceMs } from '../../patience.ts'
import { isWhole } from '../crash-table.ts'
import { until as eventually, isAlive, killIfThere } from '../processes.ts'
import { aProject, command, effect, type Project } from '../project.ts'
import { pidIn } from '../tasks/task-place.ts'
import { agents, endAgents, KEEPS_PLACE, until } from './agents.ts'

interface Row {
  readonly id: string
  readonly status: string
  readonly supervisor: string | null
  readonly process: string | null
  readonly started_at: number | null
}

/** In the order in which they were asked for. A verb would be a look, and each look starts those whose turn has come. */
function rows(project: Project): Row[] {
  using database = openDatabase(project.path('.holdpoint', 'holdpoint.db'), { readOnly: true })
  const sql = `SELECT t.id, t.status, i.supervisor, i.process, i.started_at FROM tasks t
    JOIN task_invocations i ON i.task = t.number AND i.n = t.newest ORDER BY t.number`
  return database.prepare(sql).all() as unknown as Row[]
}

/** Its supervisor first, so that nothing tells of the end. */
function kill({ supervisor, process: agent }: Row): void {
  for (const name of [supervisor, agent]) killIfThere(pidIn(name))
}

const KEPT_PLACE = { ...KEEPS_PLACE, config: { max_concurrent: 1, start_daemon: false } } as const

async function oneWaitsForAnother(project: Project): Promise<void> {
  for (const name of ['first', 'second']) await agents(project, 'spawn', '--interactive', '--name', name, 'begin')
  await eventually(() => existsSync(project.path('kept')))
  expect(rows(project)[1]).toMatchObject({ status: 'pending', supervisor: 'queue' })
}

test.each([
  ['a worker starts it', ['work']],
  ['a worker that does all that can be done at once starts it', ['work', '--once']],
])('if all that ran was killed while an agent waits for its turn, %s', async (_what, words) => {
  await using project = await aProject(KEPT_PLACE)
  await oneWaitsForAnother(project)
  const [first] = rows(project)
  kill(first as Row)
  await eventually(() => !isAlive(pidIn((first as Row).supervisor)))
  expect(rows(project)[1]).toMatchObject({ status: 'pending', supervisor: 'queue' })
  const worker = project.start(words)
  await eventually(() => rows(project)[1]?.status === 'running')
  expect(await until(project, 'second', 'idle', 'done')).toMatchObject({ status: 'idle' })
  worker.kill()
  await project.write('go', '')
  await endAgents(project)
})

test('an agent that waits though a place is free is killed, and no process of it ever starts', async () => {
  await using project = await aProject(KEPT_PLACE)
  await oneWaitsForAnother(project)
  kill(rows(project)[0] as Row)
  await eventually(() => !isAlive(pidIn((rows(project)[0] as Row).supervisor)))
  expect(await agents(project, 'kill', 'second', '--json')).toMatchObject({ exit: 0, json: { status: 'killed' } })
  expect(rows(project)[1]).toMatchObject({ status: 'cancelled', supervisor: 'queue', process: null })
  await project.write('go', '')
  await endAgents(project)
})

const PLACES = 4
const COUNT = isWhole ? 50 : 8

test('of many agents never more than four run at once, in their order, and none is forgotten if the daemon and one of them are killed', {
  timeout: 15 * patienceMs(),
}, async () => {
  const turn = command('c1', 'echo + >> effects.log; sleep 0.2; echo - >> effects.log')
  const config = { max_concurrent: PLACES }
  await using project = await aProject({ script: [{ calls: [turn] }, 'Done.'], policy: { default: 'auto' }, config })
  await project.holdpoint('daemon', 'start')
  const { daemon } = (await project.holdpoint('daemon', 'status', '--json')).json
  const most = watchPlaces(project)
  for (let n = 0; n < COUNT; n++) await agents(project, 'spawn', '--name', `agent-${n}`, 'begin')
  process.kill(daemon.pid, 'SIGKILL')
  const victim = rows(project).findLast(({ process: agent }) => agent !== null) as Row
  for (const name of [victim.supervisor, victim.process]) killIfThere(pidIn(name))
  await project.holdpoint('daemon', 'start')
  await eventually(
    () => rows(project).every(({ status }) => ['completed', 'failed'].includes(status)),
    12 * patienceMs(),
  )
  expect(await most()).toBeLessThanOrEqual(PLACES)
  const all = rows(project)
  expect(all.filter(({ status, id }) => status !== 'completed' && id !== victim.id)).toEqual([])
  const begun = all.toSorted((one, other) => Number(one.started_at) - Number(other.started_at))
  // Those that run at once may be told to begin in any order.
  for (const [index, row] of begun.entries()) expect(Math.abs(all.indexOf(row) - index)).toBeLessThan(PLACES)
  await endAgents(project)
  await project.holdpoint('daemon', 'stop', '--kill')
})

/** Resolves to the most that had a place at any look. */
function watchPlaces(project: Project): () => Promise<number> {
  const over = new AbortController()
  const watching = (async () => {
    let most = 0
    while (!over.signal.aborted) {
      const placed = ({ status, supervisor }: Row) =>
        status === 'running' || (status === 'pending' && supervisor !== 'queue')
      most = Math.max(most, project.exists('.holdpoint', 'holdpoint.db') ? rows(project).filter(placed).length : 0)
      await delay(20)
    }
    return most
  })()
  return () => {
    over.abort()
    return watching
  }
}

test('a worker that goes on with an interactive agent leaves it where it waits for the next message', async () => {
  await using project = await aProject({
    script: [{ text: 'Soon.', calls: [effect('c1', 'applied')] }, 'Applied.', 'More.'],
    policy: { tools: { run_command: 'prompt' } },
  })
  await agents(project, 'spawn', '--interactive', '--name', 'docs', 'begin')
  await until(project, 'docs', 'waiting')
  kill(rows(project)[0] as Row)
  const [hold] = (await project.holdpoint('holds', '--json')).json
  await decideAlone(project, hold.id)
  expect(await project.holdpoint('work', '--once')).toMatchObject({ exit: 0 })
  expect(await until(project, 'docs', 'parked', 'done')).toMatchObject({ status: 'parked' })
  expect(await project.effects()).toEqual(['applied'])
  expect(await agents(project, 'send', 'docs', '--wait', 'and more')).toMatchObject({ exit: 0, stdout: 'More.\n' })
  await endAgents(project)
})

/** In a process that wakes no task. */
async function decideAlone(project: Project, holdId: string): Promise<void> {
  await using holdpoint = await openHoldpoint({ store: `sqlite:${project.path('.holdpoint/holdpoint.db')}` })
  const said = { verdict: 'approve', decided_by: 'ben', surface: 'test' } as const
  expect(await holdpoint.decide(holdId, said)).toMatchObject({ outcome: 'recorded' })
}
