import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { takenBy, WAITS_FOR_TURN } from '../../../src/core/task/start-queue.ts'
import type { Task } from '../../../src/core/task/task.ts'
import { processLiveness } from '../../../src/hosts/process/process-liveness.ts'
import type { TaskRegistry } from '../../../src/ports/store/fleet/task-registry.ts'
import type { ProcessTasksOptions } from '../../../src/tasks/process-tasks.ts'
import { patienceMs } from '../../patience.ts'
import { ana, aTaskPlace, command, pidIn, type TaskPlace } from './task-place.ts'

function queue(most: number): Pick<ProcessTasksOptions, 'queue'> {
  return { queue: { kind: 'agent', most, environmentOf: ({ invocation }) => ({ HOLDPOINT_ACTOR: invocation.by }) } }
}

/** Each says when it begins and ends, and so does the next: `+n` and `-n`. */
function agent(place: TaskPlace, n: number) {
  const said = place.file('said')
  const argv = ['sh', '-c', `echo +${n}.$HOLDPOINT_ACTOR >> ${said}; sleep 0.2; echo -${n}.$HOLDPOINT_ACTOR >> ${said}`]
  return command(argv, { workdir: place.directory, kind: 'agent', waits: true })
}

function said(place: TaskPlace): string[] {
  return readFileSync(place.file('said'), 'utf8').trim().split('\n')
}

function mostAtOnce(marks: readonly string[]): number {
  let now = 0
  return Math.max(...marks.map(mark => (now += mark.startsWith('+') ? 1 : -1)))
}

async function untilAllRest(place: TaskPlace, tasks: readonly Task[]): Promise<readonly Task[]> {
  const ids = tasks.map(({ id }) => id)
  return place.manager().wait(ids, { until: 'all', signal: AbortSignal.timeout(patienceMs()) })
}

test('of twelve with three places never four run, and each end starts the next', async () => {
  await using place = await aTaskPlace()
  const tasks = place.manager(queue(3))
  const started = []
  for (let n = 0; n < 12; n++) started.push(await tasks.start(agent(place, n)))
  expect(started.filter(({ invocation }) => invocation.supervisor === 'queue').length).toBeGreaterThan(0)
  const ended = await untilAllRest(place, started)
  expect(ended.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 'completed'))
  const marks = said(place)
  expect(mostAtOnce(marks)).toBeLessThanOrEqual(3)
  expect(marks.every(mark => mark.endsWith('.ana'))).toBe(true)
})

test('with one place they run one after the other, in the order of their starts, signed by who asked', async () => {
  await using place = await aTaskPlace()
  const tasks = place.manager(queue(1))
  const started = []
  for (const n of [1, 2, 3]) started.push(await tasks.start({ ...agent(place, n), by: n === 2 ? 'ben' : 'ana' }))
  await untilAllRest(place, started)
  expect(said(place)).toEqual(['+1.ana', '-1.ana', '+2.ben', '-2.ben', '+3.ana', '-3.ana'])
})

test('a task that waits is cancelled at once, and is never started', async () => {
  await using place = await aTaskPlace()
  const tasks = place.manager(queue(1))
  const first = await tasks.start(agent(place, 1))
  const second = await tasks.start(agent(place, 2))
  expect(await tasks.cancel(second.id, ana)).toMatchObject({ status: 'cancelled' })
  await untilAllRest(place, [first, second])
  expect(said(place)).toEqual(['+1.ana', '-1.ana'])
})

test('a task that waits though a place is free is cancelled, and is not started for it', async () => {
  await using place = await aTaskPlace()
  const { id } = await place.store.tasks.create({ ...agent(place, 1), id: 'task_waits' })
  expect(await place.manager(queue(1)).cancel(id, ana)).toMatchObject({
    status: 'cancelled',
    invocation: { supervisor: WAITS_FOR_TURN, process: null },
  })
  expect(existsSync(place.file('said'))).toBe(false)
})

test('a place that a killed supervisor held is free at the next look', async () => {
  await using place = await aTaskPlace()
  const tasks = place.manager(queue(1))
  const first = await tasks.start({ ...agent(place, 1), argv: ['sleep', '60'] })
  const second = await tasks.start(agent(place, 2))
  const { invocation } = await place.running(first)
  process.kill(pidIn(invocation.supervisor), 'SIGKILL')
  const [lost] = await tasks.wait([first.id], { signal: AbortSignal.timeout(patienceMs()) })
  expect(lost).toMatchObject({ status: 'failed', invocation: { error: { code: 'supervisor_lost' } } })
  expect(await untilAllRest(place, [second])).toMatchObject([{ status: 'completed' }])
})

test('a task whose starter was killed after it took the task is started by another process', async () => {
  await using place = await aTaskPlace()
  const registry: TaskRegistry = place.store.tasks
  const { id } = await registry.create({ ...agent(place, 1), id: 'task_1' })
  const gone = await place.run(['true'])
  const by = String(gone.invocation.process)
  expect(await registry.takeNext({ kind: 'agent', most: 1, by })).toMatchObject({
    invocation: { supervisor: takenBy(by) },
  })
  const tasks = place.manager(queue(1))
  expect(await tasks.task(id)).toMatchObject({ status: 'pending' })
  expect(await untilAllRest(place, [gone, { ...gone, id }])).toMatchObject([{}, { status: 'completed' }])
})

test('a task that this process took and never started, since the store was away, is put back by a look', async () => {
  await using place = await aTaskPlace()
  const { id } = await place.store.tasks.create({ ...agent(place, 1), id: 'task_1' })
  const by = String(processLiveness().nameOf(process.pid))
  const taken = await place.store.tasks.takeNext({ kind: 'agent', most: 1, by })
  expect(taken).toMatchObject({ invocation: { supervisor: takenBy(by) } })
  const [ended] = await place.manager(queue(1)).wait([id], { signal: AbortSignal.timeout(patienceMs()) })
  expect(ended).toMatchObject({ status: 'completed' })
  expect(said(place)).toEqual(['+1.ana', '-1.ana'])
})

test('a task starts although other hosts cannot be told where its output is', async () => {
  await using place = await aTaskPlace()
  const keepsOutput = () => Promise.reject(new Error('the store is away'))
  const tasks = place.manager({ ...queue(1), hosts: { ...place.store.hosts, keepsOutput } })
  const { id } = await tasks.start(agent(place, 1))
  const [ended] = await tasks.wait([id], { signal: AbortSignal.timeout(patienceMs()) })
  expect(ended).toMatchObject({ status: 'completed' })
})

const LOOKS = [
  ['one task', ({ id }, tasks) => tasks.task(id)],
  ['all tasks', (_, tasks) => tasks.tasks()],
  ['all that ended', (_, tasks) => tasks.tasks({ status: 'completed' })],
  ['several tasks', ({ id }, tasks) => tasks.wait([id], { signal: AbortSignal.abort() })],
] as const satisfies readonly (readonly [string, (task: Task, tasks: TaskPlace['tasks']) => Promise<unknown>])[]

test.for(LOOKS)(
  'if a supervisor was killed after its end and before it started the next, a look at %s does',
  async ([, look]) => {
    await using place = await aTaskPlace()
    // A supervisor that knows of no queue starts nothing at its end.
    await place.run(['true'], { kind: 'agent' })
    const waiting = await place.store.tasks.create({ ...agent(place, 1), id: 'task_waits' })
    await look(waiting, place.manager(queue(1)))
    expect((await place.store.tasks.task(waiting.id))?.invocation.supervisor).not.toBe(WAITS_FOR_TURN)
    expect(await untilAllRest(place, [waiting])).toMatchObject([{ status: 'completed' }])
  },
)

test('a look starts none while each place is taken', async () => {
  await using place = await aTaskPlace()
  const tasks = place.manager(queue(1))
  const first = await tasks.start({ ...agent(place, 1), argv: ['sleep', '60'] })
  const second = await tasks.start(agent(place, 2))
  expect(await tasks.task(second.id)).toMatchObject({ status: 'pending', invocation: { supervisor: WAITS_FOR_TURN } })
  await tasks.cancel(second.id, ana)
  await tasks.cancel(first.id, ana)
})

test('without a limit each task is started at once', async () => {
  await using place = await aTaskPlace()
  const tasks = place.manager()
  expect(tasks.isLimited).toBe(false)
  const { invocation } = await tasks.start({ ...agent(place, 1), waits: false })
  expect(invocation.supervisor).not.toMatch(/^queue/)
})
