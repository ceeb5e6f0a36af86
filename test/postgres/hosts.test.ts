import { afterAll, describe, expect, test } from 'vitest'
import { HOST_LEASE_MS } from '../../src/core/fleet/fleet-host.ts'
import { processLiveness } from '../../src/hosts/process/process-liveness.ts'
import { systemIds } from '../../src/hosts/process/system-ids.ts'
import { Pool } from '../../src/stores/postgres/database/pool.ts'
import { runWork } from '../../src/stores/postgres/database/run-work.ts'
import { openPostgresStore, type PostgresStore } from '../../src/stores/postgres/postgres-store.ts'
import { nameHost } from '../../src/stores/sql/tasks/task-table.ts'
import { ProcessTasks } from '../../src/tasks/process-tasks.ts'
import { aPrune } from '../../src/testing/contracts/store-samples.ts'
import { aMove, aRun, aTask, aTaskThatIs, BEN } from '../../src/testing/contracts/tasks/sample-task.ts'
import { handClock } from '../../src/testing/kit/hand-clock.ts'
import { processFamilies } from '../../src/tools/run-command/process-family.ts'
import { openTestDatabase } from './database.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`hosts in the registry (${database.missing})`, () => {})
else describe('hosts in the registry', () => sharing(database.url))

const START = Date.parse('2030-01-01T00:00:00.000Z')

function sharing(url: string): void {
  let schemas = 0
  let now = START

  async function hosts(): Promise<AsyncDisposable & { one: PostgresStore; two: PostgresStore; url: string }> {
    now = START
    const at = `${url}?schema=registry_${++schemas}`
    const open = (id: string) => openPostgresStore(at, () => now, { host: { id, name: `${id}.example.com` } })
    const [one, two] = [await open('one'), await open('two')]
    const close = async () => void (await Promise.all([one[Symbol.asyncDispose](), two[Symbol.asyncDispose]()]))
    return { one, two, url: at, [Symbol.asyncDispose]: close }
  }

  test('a task is of the host that created it, whoever moves it', async () => {
    await using it = await hosts()
    await aTaskThatIs(it.one.tasks, 'paused')
    expect(await it.two.tasks.task('task_1')).toMatchObject({ host: 'one' })
    const cancelled = await it.two.tasks.move(aMove('cancelled', { from: ['paused'], cancel: BEN }))
    expect(cancelled).toMatchObject({ host: 'one', status: 'cancelled' })
  })

  test('a task of no host is of the first that starts it', async () => {
    await using it = await hosts()
    await aTaskThatIs(it.one.tasks, 'paused')
    await using pool = await Pool.open(it.url, null)
    await pool.query('UPDATE @tasks SET host = NULL')
    expect(await it.one.tasks.task('task_1')).toMatchObject({ host: null })
    const next = { ...BEN, argv: ['again'] }
    expect(await it.two.tasks.move(aMove('pending', { from: ['paused'], next }))).toMatchObject({ host: 'two' })
    expect(await it.one.tasks.task('task_1')).toMatchObject({ host: 'two' })
  })

  test('each host has its own turns, and takes its own tasks alone', async () => {
    await using it = await hosts()
    for (const [store, id] of [
      [it.one, 'a1'],
      [it.one, 'a2'],
      [it.two, 'b1'],
    ] as const)
      await store.tasks.create(aTask({ id, kind: 'agent', waits: true }))
    const turn = { kind: 'agent', most: 1, by: 'here' }
    expect(await it.two.tasks.takeNext(turn)).toMatchObject({ id: 'b1' })
    expect(await it.two.tasks.takeNext(turn)).toBeNull()
    expect(await it.one.tasks.takeNext(turn)).toMatchObject({ id: 'a1' })
    expect(await it.one.tasks.takeNext(turn)).toBeNull()
  })

  test('workers are offered the runs of the tasks of their own host, and those that are no tasks', async () => {
    await using it = await hosts()
    await it.one.start({ ...aRun('run_1', 'running'), task: aTask({ kind: 'agent', subject: 'run_1' }) })
    await it.one.start(aRun('run_2', 'running'))
    const ready = async (store: PostgresStore) => (await store.readyRuns({ limit: 9 })).map(({ id }) => id)
    expect([await ready(it.one), await ready(it.two)]).toEqual([['run_1', 'run_2'], ['run_2']])
  })

  test('a host is gone once nothing was seen there for its lease, by the time of the store', async () => {
    await using it = await hosts()
    await it.one.tasks.create(aTask())
    await it.one.hosts.keepsOutput('/home/ana/tasks')
    const one = { id: 'one', name: 'one.example.com', address: null, output: '/home/ana/tasks' }
    expect(await it.two.hosts.list()).toEqual([{ ...one, seen_at: null, is_gone: true }])
    await it.one.hosts.isSeen('https://one.example.com/')
    const seen = { ...one, address: 'https://one.example.com/', seen_at: '2030-01-01T00:00:00.000Z' }
    expect(await it.two.hosts.list()).toEqual([{ ...seen, is_gone: false }])
    now += HOST_LEASE_MS
    expect(await it.two.hosts.list()).toMatchObject([{ is_gone: false }])
    now += 1
    expect(await it.two.hosts.list()).toEqual([{ ...seen, is_gone: true }])
    await it.one.hosts.isSeen()
    expect(await it.two.hosts.list()).toMatchObject([{ is_gone: false, address: 'https://one.example.com/' }])
    await it.one.hosts.isSeen(null)
    expect(await it.two.hosts.list()).toMatchObject([{ is_gone: false, address: null }])
  })

  test('pruning forgets a host that is long gone and has no task, and no other', async () => {
    await using it = await hosts()
    await it.one.hosts.isSeen()
    await it.one.daemons.take({ process: 'p', endpoint: '/s', version: '1' }, null)
    await it.two.hosts.isSeen()
    await aTaskThatIs(it.two.tasks, 'paused')
    const ids = async () => (await it.two.hosts.list()).map(({ id }) => id)
    const prune = (before: number, dry_run = false) =>
      it.two.prune(aPrune({ before: new Date(before).toISOString(), dry_run }))
    await prune(START)
    await prune(START + 1, true)
    expect(await ids()).toEqual(['one', 'two'])
    await prune(START + 1)
    expect(await ids()).toEqual(['two'])
    expect(await it.one.daemons.find()).toBeNull()
    await it.one.hosts.isSeen()
    expect(await ids()).toEqual(['one', 'two'])
  })

  test('a host whose first task is just being written is not forgotten', async () => {
    await using it = await hosts()
    await it.one.hosts.isSeen()
    await using pool = await Pool.open(it.url, null)
    await pool.transaction(async ({ query }) => {
      await runWork(query, nameHost({ id: 'one', name: 'one.example.com' }))
      await it.two.prune(aPrune({ before: new Date(START + 1).toISOString() }))
    })
    expect(await it.two.hosts.list()).toMatchObject([{ id: 'one' }])
  })

  test('only its own host takes a task for never started, by its own clock and after a look at it', async () => {
    await using it = await hosts()
    const clock = handClock('2040-01-01T00:00:00.000Z')
    const managerOf = (store: PostgresStore) =>
      new ProcessTasks({
        ...{ registry: store.tasks, hosts: store.hosts, clock, names: processLiveness(), families: processFamilies },
        ...{ ids: systemIds, directory: '/nowhere', supervisor: ['/bin/false'], environment: {} },
      })
    const [one, two] = [managerOf(it.one), managerOf(it.two)]
    await it.one.tasks.create(aTask())
    for (const manager of [one, two]) expect(await manager.task('task_1')).toMatchObject({ status: 'pending' })
    clock.advance(10_001)
    expect(await two.task('task_1')).toMatchObject({ status: 'pending' })
    expect(await one.task('task_1')).toMatchObject({
      status: 'failed',
      invocation: { error: { code: 'never_started' } },
    })
  })

  test('a task of this host in another container is lost once its supervisor says nothing for a minute', async () => {
    await using it = await hosts()
    const clock = handClock('2040-01-01T00:00:00.000Z')
    const names = { ...processLiveness(), isUnseen: (name: string) => name === 'before' }
    const manager = new ProcessTasks({
      ...{ registry: it.one.tasks, hosts: it.one.hosts, clock, names, families: processFamilies },
      ...{ ids: systemIds, directory: '/nowhere', supervisor: ['/bin/false'], environment: {} },
    })
    await it.one.tasks.create(aTask())
    const signed = aMove('running', { from: ['pending'], change: { supervisor: 'before' } })
    await it.one.tasks.move(signed)
    const lookAfter = async (ms: number) => {
      clock.advance(ms)
      now += ms
      return (await manager.task('task_1'))?.status
    }
    const looks = async (count: number) => {
      const seen = []
      for (let look = 0; look < count; look++) seen.push(await lookAfter(10_000))
      return seen
    }
    const running = (count: number) => Array.from({ length: count }, () => 'running')
    expect(await looks(6)).toEqual(running(6))
    const { to: _, ...beat } = signed
    await it.one.tasks.move({ ...beat, from: ['running'] })
    expect(await looks(6)).toEqual(running(6))
    expect(await lookAfter(90_000)).toBe('running')
    expect(await looks(6)).toEqual([...running(5), 'failed'])
  })

  test('each host has a daemon of its own', async () => {
    await using it = await hosts()
    const daemon = { process: 'here 1', endpoint: '/run/1.sock', version: '1.0.0' }
    expect(await it.one.daemons.take(daemon, null)).not.toBeNull()
    expect(await it.two.daemons.find()).toBeNull()
    expect(await it.two.daemons.take({ ...daemon, process: 'here 2' }, null)).not.toBeNull()
    expect(await it.two.daemons.askToStop('here 1', 'kill')).toBeNull()
    expect(await it.one.daemons.find()).toMatchObject({ process: 'here 1', stop: null })
  })
}
