import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { processLiveness } from '../../../src/hosts/process/process-liveness.ts'
import { systemClock } from '../../../src/hosts/process/system-clock.ts'
import { processFamilies } from '../../../src/tools/run-command/process-family.ts'
import { patienceMs } from '../../patience.ts'
import { isAlive, until } from '../processes.ts'
import { ana, aTaskPlace, command, pidIn, processesOf, SUPERVISOR, type TaskPlace } from './task-place.ts'

const sh = (script: string): readonly string[] => ['sh', '-c', script]
/** Prints its id, and runs until it is stopped. */
const FOREVER = sh('echo $$; while :; do sleep 0.1; done')
const untilGo = (script: string) => sh(`while [ ! -e go ]; do sleep 0.02; done; ${script}`)

interface OtherManager {
  readonly process: ChildProcess
  readonly ids: readonly string[]
}

/** Another process that starts tasks on the place's store. */
async function anotherManager(
  place: TaskPlace,
  argvs: readonly (readonly string[])[],
  mark: Record<string, string> = {},
): Promise<OtherManager> {
  const starts = argvs.map(argv => command(argv, { workdir: place.directory }))
  const script = resolve(import.meta.dirname, 'manager.mjs')
  const args = [script, place.file('holdpoint.db'), place.file('tasks'), SUPERVISOR, JSON.stringify(starts)]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
    env: { ...process.env, ...mark },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ids: string[] = []
  for await (const line of createInterface(child.stdout)) if (ids.push(line) === argvs.length) break
  return { process: child, ids }
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

test('tasks whose manager is killed go on, and another process sees every status right', async () => {
  await using place = await aTaskPlace()
  const other = await anotherManager(place, [
    ...[FOREVER, untilGo('exit 10'), untilGo('echo done'), untilGo('exit 4')],
    sh('exit 10'),
    ['true'],
  ])
  // The last ones may be pending, running or ended by now.
  await killed(other.process)
  const [runs, pauses, finishes, fails, paused, finished] = other.ids.map(id => ({ id }))
  await until(async () => (await place.printed(runs!)) !== '')
  // The command may print before its supervisor has noted that it runs.
  await place.running(runs!)
  expect(isAlive(Number(await place.printed(runs!)))).toBe(true)
  writeFileSync(place.file('go'), '')
  const ids = [pauses, finishes, fails, paused, finished].map(task => task!.id)
  const ended = await place.tasks.wait(ids, { until: 'all', signal: AbortSignal.timeout(patienceMs()) })
  const ends = ['paused 10', 'completed 0', 'failed 4', 'paused 10', 'completed 0']
  expect(ended.map(({ status, invocation }) => `${status} ${invocation.exit_code}`)).toEqual(ends)
  expect((await place.tasks.resume(paused!.id, { ...ana, invocation: 1, argv: ['true'] })).invocation.n).toBe(2)
  expect((await place.rested(paused!)).status).toBe('completed')
  expect((await place.tasks.cancel(runs!.id, ana)).status).toBe('cancelled')
  expect(processesOf(runs!)).toEqual([])
})

test('whoever stops the family of a manager does not stop the tasks that it started', async () => {
  await using place = await aTaskPlace()
  const mark = 'a-command-of-an-agent'
  const other = await anotherManager(place, [untilGo('exit 0')], { HOLDPOINT_COMMAND_IDS: mark })
  const [id = ''] = other.ids
  const task = await place.running({ id })
  const family = { leader: other.process.pid ?? 0, mark }
  processFamilies.signal(family, 'SIGKILL')
  expect(await processFamilies.isGone(family, 5_000)).toBe(true)
  expect(isAlive(pidIn(task.invocation.supervisor))).toBe(true)
  writeFileSync(place.file('go'), '')
  expect((await place.rested(task)).status).toBe('completed')
})

test('a task whose supervisor is killed has failed, nothing of it runs any more, and it can be resumed', async () => {
  await using place = await aTaskPlace()
  writeFileSync(place.file('deaf'), `trap '' TERM; while :; do sleep 0.1; done`)
  const task = await place.start(sh(`setsid sh -c 'sh ./deaf &' </dev/null >/dev/null 2>&1; ${FOREVER[2]}`))
  await until(async () => (await place.printed(task)) !== '')
  const { invocation } = await place.running(task)
  process.kill(pidIn(invocation.supervisor), 'SIGKILL')
  const lost = await place.rested(task)
  expect(processesOf(task)).toEqual([])
  expect(lost).toMatchObject({ status: 'failed', invocation: { exit_code: null, error: { code: 'supervisor_lost' } } })
  expect(await place.printed(task)).toMatch(/^\d+\n$/)
  await place.tasks.resume(task.id, { ...ana, invocation: 1, argv: ['echo', 'again'] })
  expect(await place.rested(task)).toMatchObject({ status: 'completed', invocation: { n: 2 } })
  expect((await place.tasks.output(task.id, { stream: 'stdout', invocation: 1 })).text).toMatch(/^\d+\n$/)
  const history = await place.tasks.invocations(task.id)
  expect(history.map(({ n, status }) => `${n} ${status}`)).toEqual(['1 failed', '2 completed'])
})

test('a task that was to be cancelled when its supervisor was killed, is cancelled', async () => {
  await using place = await aTaskPlace()
  const task = await place.start(FOREVER)
  await until(async () => (await place.printed(task)) !== '')
  const supervisor = pidIn((await place.running(task)).invocation.supervisor)
  process.kill(supervisor, 'SIGSTOP')
  const cancelled = place.tasks.cancel(task.id, ana)
  await until(async () => (await place.store.tasks.task(task.id))?.cancel_requested_by === 'ana')
  process.kill(supervisor, 'SIGKILL')
  expect(await cancelled).toMatchObject({ status: 'cancelled', invocation: { error: { code: 'supervisor_lost' } } })
  expect(processesOf(task)).toEqual([])
})

test('a process that was given the id of one that ended is never signalled', async () => {
  await using place = await aTaskPlace()
  const told = place.file('told')
  const bystander = spawn(
    'sh',
    ['-c', `trap 'echo told >> ${told}' TERM INT HUP; echo ready; while :; do sleep 0.05; done`],
    {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  onTestFinished(() => void bystander.kill('SIGKILL'))
  await once(bystander.stdout!, 'data')
  const name = processLiveness().nameOf(bystander.pid ?? 0) ?? ''
  const [where, pid, started] = name.split(':')
  const before = `${where}:${pid}:${Number(started) - 100}`
  const row = { ...command(['true'], { workdir: place.directory }), id: 'task_reused' }
  await place.store.tasks.create(row)
  const move = { task_id: row.id, invocation: 1, from: ['pending'] as const }
  await place.store.tasks.move({ ...move, to: 'running', change: { supervisor: before, process: before } })
  expect(await place.tasks.task(row.id)).toMatchObject({
    status: 'failed',
    invocation: { error: { code: 'supervisor_lost' } },
  })
  // The same as a supervisor elsewhere that is to be woken.
  await place.store.tasks.create({ ...row, id: 'task_elsewhere' })
  await place.store.tasks.move({
    ...{ ...move, task_id: 'task_elsewhere' },
    ...{ to: 'running', change: { supervisor: `elsewhere:${pid}:${started}`, process: before } },
  })
  const ends = setTimeout(() => {
    const from = ['running'] as const
    void place.store.tasks.move({ task_id: 'task_elsewhere', invocation: 1, from, to: 'cancelled' })
  }, 300)
  expect((await place.tasks.cancel('task_elsewhere', ana)).status).toBe('cancelled')
  clearTimeout(ends)
  expect(bystander.exitCode).toBeNull()
  expect(isAlive(bystander.pid ?? 0)).toBe(true)
  expect(place.has('told')).toBe(false)
  // It would have been seen.
  bystander.kill('SIGTERM')
  await until(() => place.has('told'))
})

test('a task that nobody came to supervise has failed, and who comes late runs nothing', async () => {
  await using place = await aTaskPlace()
  const task = await place.store.tasks.create({
    ...command(['touch', 'ran'], { workdir: place.directory }),
    id: 'task_1',
  })
  expect(await place.tasks.task(task.id)).toEqual(task)
  const later = place.manager({ clock: { ...systemClock, now: () => Date.now() + 11_000 } })
  const failed = await later.task(task.id)
  expect(failed).toMatchObject({ status: 'failed', invocation: { error: { code: 'never_started' } } })
  const late = spawn(process.execPath, [SUPERVISOR, ...place.store.location.supervisorHandOver.argv, task.id, '1'], {
    stdio: 'inherit',
  })
  expect(await once(late, 'exit')).toEqual([0, null])
  expect(await place.tasks.task(task.id)).toEqual(failed)
  expect(place.has('ran')).toBe(false)
})

test('a supervisor that ends before it signs in leaves a failed task, and nobody waits for it', async () => {
  await using place = await aTaskPlace()
  const broken = place.manager({ supervisor: ['/bin/false'] })
  const task = await broken.start(command(['touch', 'ran'], { workdir: place.directory }))
  expect(await place.rested(task)).toMatchObject({ status: 'failed', invocation: { exit_code: null } })
  expect(place.has('ran')).toBe(false)
})

test('a supervisor from which its task was taken stops the command, and writes nothing', async () => {
  await using place = await aTaskPlace()
  const task = await place.start(FOREVER)
  await until(async () => (await place.printed(task)) !== '')
  const supervisor = pidIn((await place.running(task)).invocation.supervisor)
  const taken = await place.store.tasks.move({ task_id: task.id, invocation: 1, from: ['running'], to: 'failed' })
  process.kill(supervisor, 'SIGTERM')
  await until(() => !isAlive(supervisor))
  expect(processesOf(task)).toEqual([])
  expect(await place.tasks.task(task.id)).toEqual(taken)
})

test('of two that resume a task at the same time one does, and the other is told that it has moved on', async () => {
  await using place = await aTaskPlace()
  const [one, other] = [place.manager(), place.manager()]
  const task = await place.run(sh('exit 10'))
  const resume = (by: string) => ({
    by,
    surface: 'test',
    invocation: 1,
    argv: ['sh', '-c', `echo ${by} >> by; exit 10`],
  })
  const both = await Promise.allSettled([one.resume(task.id, resume('ana')), other.resume(task.id, resume('ben'))])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'task_moved_on' } })
  const paused = await place.rested(task)
  expect(paused).toMatchObject({ status: 'paused', invocation: { n: 2 } })
  expect(readFileSync(place.file('by'), 'utf8')).toBe(`${paused.invocation.by}\n`)
  await expect(one.resume(task.id, resume('late'))).rejects.toMatchObject({ code: 'task_moved_on' })
})

test('whoever cancels while a task ends finds it ended or cancelled, and nothing of it runs or pauses', async () => {
  await using place = await aTaskPlace()
  const tasks = await Promise.all([0, 0.02, 0.05, 0.1].map(seconds => place.start(sh(`sleep ${seconds}; exit 10`))))
  await Promise.all(tasks.map(task => place.running(task)))
  await delay(30)
  const cancelled = await Promise.all(tasks.map(({ id }) => place.tasks.cancel(id, ana)))
  expect(cancelled.map(({ status }) => status)).toEqual(tasks.map(() => 'cancelled'))
  expect(processesOf(...tasks)).toEqual([])
  const pending = await place.start(FOREVER)
  expect(await place.tasks.cancel(pending.id, ana)).toMatchObject({ status: 'cancelled' })
  expect(processesOf(pending)).toEqual([])
})

test('two hundred tasks that are paused cost no process', async () => {
  await using place = await aTaskPlace()
  const real = await Promise.all([1, 2, 3].map(() => place.run(sh('exit 10'))))
  const registry = place.store.tasks
  // The others as their supervisors would have left them.
  for (let n = real.length; n < 200; n++) {
    const task = await registry.create({ ...command(sh('exit 10'), { workdir: place.directory }), id: `task_${n}` })
    const place_ = { task_id: task.id, invocation: 1 }
    await registry.move({ ...place_, from: ['pending'], to: 'running', change: real[0]!.invocation })
    await registry.move({ ...place_, from: ['running'], to: 'paused', change: { exit_code: 10 } })
  }
  const paused = await place.tasks.tasks({ status: 'paused' })
  expect(paused.length).toBe(200)
  const supervisors = real.map(({ invocation }) => pidIn(invocation.supervisor))
  await until(() => supervisors.every(pid => !isAlive(pid)))
  expect(processesOf(...paused)).toEqual([])
})
