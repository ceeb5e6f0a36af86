import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Task, TaskStatus } from '../../../src/core/task/task.ts'
import type { NewTask } from '../../../src/core/task/task-move.ts'
import { processLiveness } from '../../../src/hosts/process/process-liveness.ts'
import { systemClock } from '../../../src/hosts/process/system-clock.ts'
import { systemIds } from '../../../src/hosts/process/system-ids.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { TaskManager, TaskSettlement } from '../../../src/ports/process/task-manager.ts'
import type { TaskRegistry } from '../../../src/ports/store/fleet/task-registry.ts'
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts'
import { ProcessTasks } from '../../../src/tasks/process-tasks.ts'

const ana = { by: 'ana', surface: 'test' } as const
const names = processLiveness()

interface Place {
  readonly registry: TaskRegistry
  readonly tasks: TaskManager
  readonly directory: string
  /** How often tasks were read. */
  readonly reads: { count: number }
}

/** Tasks in a store that forgets; none of them is a process. */
async function aPlace(clock: Clock = systemClock): Promise<Place> {
  const store = await openSqliteStore(':memory:', systemClock)
  const directory = mkdtempSync(join(tmpdir(), 'holdpoint-tasks-'))
  onTestFinished(async () => {
    await store[Symbol.asyncDispose]()
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
  })
  const reads = { count: 0 }
  const registry: TaskRegistry = {
    create: task => store.tasks.create(task),
    move: move => store.tasks.move(move),
    takeNext: turn => store.tasks.takeNext(turn),
    remove: (id, removal) => store.tasks.remove(id, removal),
    watch: onChange => store.tasks.watch(onChange),
    task: id => counted(store.tasks.task(id)),
    tasks: query => counted(store.tasks.tasks(query)),
    invocations: id => counted(store.tasks.invocations(id)),
  }
  function counted<Read>(read: Promise<Read>): Promise<Read> {
    reads.count++
    return read
  }
  const families = { signal: () => {}, isGone: async () => true }
  const tasks = new ProcessTasks({
    ...{ registry, hosts: store.hosts, clock, names, families, ids: systemIds, directory },
    ...{ supervisor: ['/bin/false'], environment: {} },
  })
  return { registry, tasks, directory, reads }
}

const NEW: NewTask = {
  ...{ id: 'task_1', kind: 'command', title: 't', subject: null, details: {}, workdir: '/', timeout_ms: null, ...ana },
  argv: ['true'],
}

/** Supervised by this process, which lives. */
async function aTask({ registry }: Place, id: string, status: TaskStatus = 'running'): Promise<Task> {
  const task = await registry.create({ ...NEW, id })
  const change = { supervisor: names.self }
  if (status === 'pending') return task
  const running = await registry.move({ task_id: id, invocation: 1, from: ['pending'], to: 'running', change })
  if (status !== 'running') return ends(registry, id, status)
  return running as Task
}

async function ends(registry: TaskRegistry, id: string, to: TaskStatus): Promise<Task> {
  return (await registry.move({ task_id: id, invocation: 1, from: ['running'], to })) as Task
}

test('who waits for any of them waits for the first that rests, and is told of all in the order of asking', async () => {
  const place = await aPlace()
  for (const id of ['a', 'b', 'c']) await aTask(place, id)
  const waiting = place.tasks.wait(['c', 'a', 'c', 'b'])
  await delay(30)
  await ends(place.registry, 'b', 'paused')
  expect((await waiting).map(({ id, status }) => `${id} ${status}`)).toEqual([
    ...['c running', 'a running', 'c running', 'b paused'],
  ])
})

test('who waits for all of them waits for the last', async () => {
  const place = await aPlace()
  for (const id of ['a', 'b']) await aTask(place, id)
  let isOver = false
  const waiting = place.tasks.wait(['a', 'b'], { until: 'all' }).finally(() => {
    isOver = true
  })
  await ends(place.registry, 'a', 'completed')
  await delay(60)
  expect(isOver).toBe(false)
  await ends(place.registry, 'b', 'failed')
  expect((await waiting).map(({ status }) => status)).toEqual(['completed', 'failed'])
})

test('who stops to wait is told what is', async () => {
  const place = await aPlace()
  await aTask(place, 'a')
  const stop = new AbortController()
  const waiting = place.tasks.wait(['a'], { signal: stop.signal })
  await delay(30)
  stop.abort()
  expect(await waiting).toMatchObject([{ id: 'a', status: 'running' }])
  expect(await place.tasks.wait(['a'], { signal: AbortSignal.abort() })).toHaveLength(1)
  expect(await place.tasks.wait([])).toEqual([])
})

test('to wait for two hundred tasks costs one query each time that something changes, and none while nothing does', async () => {
  const place = await aPlace()
  const ids = Array.from({ length: 200 }, (_, n) => `task_${n}`)
  for (const id of ids) await aTask(place, id)
  place.reads.count = 0
  const waiting = place.tasks.wait(ids, { until: 'all' })
  await delay(300)
  expect(place.reads.count).toBe(1)
  // A burst is one change, or two where it is met half way.
  for (const id of ids.slice(1)) await ends(place.registry, id, 'paused')
  await delay(100)
  expect(place.reads.count).toBeLessThanOrEqual(1 + 2)
  await ends(place.registry, 'task_0', 'paused')
  await waiting
  expect(place.reads.count).toBeLessThanOrEqual(1 + 2 + 1)
})

test.each<[what: string, use: (tasks: TaskManager) => Promise<unknown>]>([
  ['wait for', tasks => tasks.wait(['a', 'unknown'])],
  ['cancel', tasks => tasks.cancel('unknown', ana)],
  ['resume', tasks => tasks.resume('unknown', { ...ana, invocation: 1, argv: ['true'] })],
  ['read the output of', tasks => tasks.output('unknown', { stream: 'stdout' })],
])('who wants to %s a task that nobody knows is refused', async (_what, use) => {
  const place = await aPlace()
  await aTask(place, 'a')
  await expect(use(place.tasks)).rejects.toMatchObject({ code: 'unknown_task', details: { task_id: 'unknown' } })
  expect(await place.tasks.task('unknown')).toBeNull()
})

test('an invocation that never was has no output', async () => {
  const place = await aPlace()
  await aTask(place, 'a')
  const asked = place.tasks.output('a', { stream: 'stderr', invocation: 2 })
  await expect(asked).rejects.toMatchObject({ code: 'unknown_invocation', details: { newest: 1 } })
  expect(await place.tasks.output('a', { stream: 'stderr', from: -5 })).toEqual({
    ...{ text: '', from: 0, next: 0, size: 0, missing: 0 },
  })
})

test.each([
  ['of no words', []],
  ['without a program', ['']],
  ['with a NUL', ['true', 'a\0b']],
  ['with a word that is too long for the system', ['true', 'é'.repeat(64 * 1024)]],
])('a command %s is refused, and there is no task', async (_, argv) => {
  const place = await aPlace()
  const { id: _id, ...start } = NEW
  await expect(place.tasks.start({ ...start, argv })).rejects.toMatchObject({ code: 'invalid_command' })
  await aTask(place, 'a', 'paused')
  const resumed = place.tasks.resume('a', { ...ana, invocation: 1, argv })
  await expect(resumed).rejects.toMatchObject({ code: 'invalid_command' })
  expect(await place.tasks.tasks()).toMatchObject([{ id: 'a', status: 'paused' }])
})

test.each<[from: TaskStatus, to: TaskSettlement['to'], result: TaskStatus | null]>([
  ['paused', 'completed', 'completed'],
  ['paused', 'failed', 'failed'],
  ['paused', 'cancelled', 'cancelled'],
  ['failed', 'cancelled', 'cancelled'],
  ['failed', 'completed', 'completed'],
  ['failed', 'paused', 'paused'],
  ['paused', 'paused', null],
  ['running', 'completed', null],
  ['completed', 'cancelled', null],
])('a rest that is %s and settled as %s becomes %s', async (from, to, result) => {
  const place = await aPlace()
  const before = await aTask(place, 'a', from)
  const error = { code: 'elsewhere', message: 'It ended elsewhere.' }
  const settled = await place.tasks.settle('a', { invocation: 1, to, error })
  expect(settled && [settled.status, settled.invocation.error]).toEqual(result && [result, error])
  expect(await place.tasks.task('a')).toEqual(settled ?? before)
  expect(await place.tasks.settle('a', { invocation: 2, to, error })).toBeNull()
})

test('tasks that were lost are listed as what they are, whatever is asked for', async () => {
  const place = await aPlace()
  const gone = names.self.replace(/:\d+:/, ':999999999:')
  for (const id of ['lost', 'wanted']) {
    await place.registry.create({ ...NEW, id })
    await place.registry.move({
      task_id: id,
      invocation: 1,
      from: ['pending'],
      to: 'running',
      change: { supervisor: gone },
    })
  }
  await place.registry.move({ task_id: 'wanted', invocation: 1, from: ['running'], cancel: ana })
  await aTask(place, 'runs')
  expect((await place.tasks.tasks({ status: 'failed' })).map(({ id }) => id)).toEqual(['lost'])
  expect((await place.tasks.tasks({ status: 'running' })).map(({ id }) => id)).toEqual(['runs'])
  expect((await place.tasks.tasks()).map(({ id, status }) => `${id} ${status}`)).toEqual([
    ...['runs running', 'wanted cancelled', 'lost failed'],
  ])
})

test('a task whose supervisor is out of reach is not said to be cancelled, and the wish stays on record', async () => {
  const begun = Date.now()
  const place = await aPlace({ ...systemClock, now: () => begun + 100 * (Date.now() - begun) })
  await place.registry.create({ ...NEW, id: 'a' })
  const change = { supervisor: 'elsewhere:1:1' }
  await place.registry.move({ task_id: 'a', invocation: 1, from: ['pending'], to: 'running', change })
  const cancelled = place.tasks.cancel('a', ana)
  await expect(cancelled).rejects.toMatchObject({ code: 'not_cancelled_yet', details: { supervisor: 'elsewhere:1:1' } })
  expect(await place.tasks.task('a')).toMatchObject({ status: 'running', cancel_requested_by: 'ana' })
})

test('what is kept of tasks that are no more is removed, and nothing else', async () => {
  const place = await aPlace()
  for (const name of ['task_gone', 'task_known', 'notes']) {
    mkdirSync(join(place.directory, name, '1'), { recursive: true })
    writeFileSync(join(place.directory, name, '1', 'stdout.0'), name)
  }
  await aTask(place, 'task_known', 'completed')
  await place.tasks.sweepOutput()
  expect(readdirSync(place.directory).toSorted()).toEqual(['notes', 'task_known'])
  expect((await place.tasks.output('task_known', { stream: 'stdout' })).text).toBe('task_known')
})
