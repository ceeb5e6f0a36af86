import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openDatabase } from '../../open-database.ts'
import { patienceMs } from '../../patience.ts'
import { until as eventually, killIfThere } from '../processes.ts'
import { aProject, effect, type Project } from '../project.ts'
import { pidIn } from '../tasks/task-place.ts'
import { agents, endAgents, KEEPS_PLACE, until } from './agents.ts'

const ONE = { max_concurrent: 1 }
const SPAWN = ['spawn', '--name']

function aFullQueue(config: object = ONE): Promise<Project> {
  return aProject({ script: ['Ready.'], config })
}

interface Row {
  readonly status: string
  readonly supervisor: string | null
  readonly process: string | null
}

/** Each look starts those whose turn has come, so the rows are read without one. */
function rows(project: Project): Row[] {
  using database = openDatabase(project.path('.holdpoint', 'holdpoint.db'), { readOnly: true })
  const sql = `SELECT t.status, i.supervisor, i.process FROM tasks t
    JOIN task_invocations i ON i.task = t.number AND i.n = t.newest ORDER BY t.number`
  return database.prepare(sql).all() as unknown as Row[]
}

/** The id of each process that is a daemon of this project. */
function daemons(project: Project): string[] {
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return pids.flatMap(pid => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return words.includes('daemon') && words.some(word => word.includes(project.directory)) ? [pid] : []
    } catch {
      return []
    }
  })
}

async function daemonOf(project: Project): Promise<{ pid: number } | null> {
  return (await project.holdpoint('daemon', 'status', '--json')).json.daemon
}

test('twenty agents that are spawned at once behind a full queue start one daemon, and it forgets none of them', async () => {
  // An idle one would give its place away before it is killed.
  await using project = await aProject({ ...KEEPS_PLACE, config: ONE })
  await agents(project, ...SPAWN, 'first', '--interactive', 'go')
  await eventually(() => project.exists('kept'))
  const [first] = rows(project)
  expect(await daemonOf(project)).toBeNull()
  const spawned = await Promise.all(Array.from({ length: 20 }, () => agents(project, 'spawn', 'go')))
  expect(spawned.map(({ exit }) => exit)).toEqual(Array.from({ length: 20 }, () => 0))
  const tellers = spawned.filter(({ stderr }) => stderr.includes('started the daemon of this store'))
  expect(tellers.map(({ stderr }) => stderr)).toHaveLength(1)
  const { pid } = (await daemonOf(project)) ?? {}
  if (process.platform === 'linux') expect(daemons(project)).toEqual([String(pid)])

  // Its supervisor first, so that nothing tells of the end.
  for (const name of [first?.supervisor ?? null, first?.process ?? null]) killIfThere(pidIn(name))
  const others = () => rows(project).slice(1)
  await eventually(() => others().every(({ status }) => status === 'completed'), 6 * patienceMs())
  expect((await project.holdpoint('daemon', 'stop', '--json')).json).toEqual({ stopped: true })
  await project.write('go', '')
  await endAgents(project)
})

test.each([
  ['an agent that can start at once', { config: {}, flags: [], env: {} }],
  ['a project that refuses it', { config: { ...ONE, start_daemon: false }, flags: [], env: {} }],
  ['--no-daemon', { config: ONE, flags: ['--no-daemon'], env: {} }],
  ['a command of an agent', { config: ONE, flags: [], env: { HOLDPOINT_WITHIN: 'agent:default/run_1' } }],
])('for %s no daemon is started', async (_what, { config, flags, env }) => {
  await using project = await aFullQueue(config)
  await agents(project, ...SPAWN, 'first', '--interactive', 'go')
  await until(project, 'first', 'idle')
  const spawned = await project.run(['agents', ...SPAWN, 'second', ...flags, 'go'], { env })
  expect(spawned.exit).toBe(0)
  expect(await daemonOf(project)).toBeNull()
  await endAgents(project)
})

test('an agent that waits for people until a deadline, and has no process, gets a daemon that fires it', async () => {
  await using project = await aProject({
    script: [{ calls: [effect('tc_1', 'applied')] }, 'Not applied.'],
    policy: { tools: { run_command: 'prompt' } },
    config: { due: { seconds: 3, on_due: 'reject' } },
  })
  await agents(project, ...SPAWN, 'deployer', '--wait', 'deploy')
  expect(await daemonOf(project)).not.toBeNull()
  await eventually(() => rows(project)[0]?.status === 'completed', 3 * patienceMs())
  expect(await project.effects()).toEqual([])
  await project.holdpoint('daemon', 'stop')
})
