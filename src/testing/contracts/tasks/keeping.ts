import type { TaskQuery } from '../../../ports/store/fleet/task-registry.ts'
import type { Kit } from '../contract-kit.ts'
import { aStart, everything } from '../store-samples.ts'

import { allTasks, aMove, aTask, BEN, START } from './sample-task.ts'

export function keepingTasks({ test, expect, scene }: Kit): void {
  test('a new task is pending, with its first invocation, and comes back as it was', async () => {
    await using it = await scene()
    const details = { agent: 'writer', deep: [1, null, { text: `'; DROP TABLE tasks; --` }] }
    const argv = ['sh', '-c', 'echo "$1"', '--', '; rm -rf "$HOME"\n', '', 'ä€😀']
    const asked = aTask({ kind: 'agent', subject: 'run_1', details, argv, timeout_ms: 5000, ...BEN })
    const created = await it.store.tasks.create(asked)
    expect(created).toEqual({
      ...{ id: 'task_1', status: 'pending', kind: 'agent', title: 'Say hello', subject: 'run_1', details },
      host: it.store.hosts.self,
      ...{ workdir: '/project', timeout_ms: 5000, created_at: START, updated_at: START, cancel_requested_by: null },
      invocation: {
        ...{ n: 1, status: 'pending', argv, by: 'ben', surface: 'mcp', asked_at: START, started_at: null },
        ...{ ended_at: null, supervisor: null, process: null, exit_code: null, signal: null, error: null },
        ...{ stdout_bytes: null, stderr_bytes: null },
      },
    })
    expect(await it.store.tasks.task('task_1')).toEqual(created)
    expect(await it.store.tasks.invocations('task_1')).toEqual([created.invocation])
  })

  test('what nobody knows is absent', async () => {
    await using it = await scene()
    expect(await it.store.tasks.task('task_9')).toBeNull()
    expect(await it.store.tasks.invocations('task_9')).toEqual([])
    expect(await it.store.tasks.tasks({})).toEqual([])
    expect(await it.store.tasks.move(aMove('running', { task_id: 'task_9', from: ['pending'] }))).toBeNull()
  })

  test.each([
    ['id', { subject: 'run_2' }],
    ['subject', { id: 'task_2' }],
  ])(
    'of many that are created at once with the same %s, one is there, and the others are told which',
    async (_what, of) => {
      await using it = await scene()
      const create = (n: number) => it.store.tasks.create(aTask({ subject: 'run_1', title: `Number ${n}` }))
      const created = await Promise.allSettled(Array.from({ length: 5 }, (_, n) => create(n)))
      expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      const before = await allTasks(it.store)
      const refused = it.store.tasks.create(aTask({ subject: 'run_1', ...of }))
      await expect(refused).rejects.toMatchObject({ code: 'task_exists', details: { task_id: 'task_1' } })
      expect(await allTasks(it.store)).toEqual(before)
      expect(await it.store.audit({})).toHaveLength(1)
    },
  )

  test('P2: of many that are created at once with the same name, one is there until it is over', async () => {
    await using it = await scene()
    const named = (id: string, kind = 'agent') => aTask({ id, kind, subject: null, details: { name: 'docs' } })
    const ids = ['task_1', 'task_2', 'task_3']
    const created = await Promise.allSettled(ids.map(id => it.store.tasks.create(named(id))))
    expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const [winner] = await it.store.tasks.tasks({})
    const refused = { code: 'name_taken', details: { task_id: winner?.id } }
    await expect(it.store.tasks.create(named('task_4'))).rejects.toMatchObject(refused)
    await it.store.tasks.create(named('task_5', 'command'))
    await it.store.tasks.move(aMove('failed', { task_id: winner?.id ?? '', from: ['pending'] }))
    expect(await it.store.tasks.create(named('task_6'))).toMatchObject({ id: 'task_6' })
  })

  test('a run and the task that is to go on with it are started together, or neither is', async () => {
    await using it = await scene()
    await it.store.start({ ...aStart(), task: aTask({ subject: 'run_1' }) })
    expect(await it.store.run('run_1')).toMatchObject({ status: 'running' })
    expect(await it.store.tasks.task('task_1')).toMatchObject({ status: 'pending', subject: 'run_1' })
    expect(JSON.stringify(await it.store.audit({}))).toContain('task.started')
    const before = [await everything(it.store), await allTasks(it.store)]
    const second = it.store.start({ ...aStart({ run: 'run_2', thread: 'th_2' }), task: aTask({ subject: 'run_2' }) })
    await expect(second, 'the id of the task is taken').rejects.toMatchObject({ code: 'task_exists' })
    expect([await everything(it.store), await allTasks(it.store)]).toEqual(before)
  })

  test('tasks about nothing may be many', async () => {
    await using it = await scene()
    await it.store.tasks.create(aTask())
    await it.store.tasks.create(aTask({ id: 'task_2' }))
    expect(await it.store.tasks.tasks({})).toHaveLength(2)
  })

  test('tasks are listed newest first, by status, kind and subject, in pages', async () => {
    await using it = await scene()
    for (const n of [0, 1, 2, 3, 4, 5, 6])
      await it.store.tasks.create(
        aTask({ id: `task_${n}`, kind: n % 2 ? 'agent' : 'command', subject: n % 2 ? `run_${n}` : null }),
      )
    for (const n of [1, 2, 5]) await it.store.tasks.move(aMove('running', { task_id: `task_${n}`, from: ['pending'] }))
    await it.store.tasks.move(aMove('completed', { task_id: 'task_5', from: ['running'] }))
    const numbers = async (query: TaskQuery) => (await it.store.tasks.tasks(query)).map(({ id }) => Number(id.slice(5)))
    expect(await numbers({})).toEqual([6, 5, 4, 3, 2, 1, 0])
    expect(await numbers({ status: 'running' })).toEqual([2, 1])
    expect(await numbers({ status: 'completed' })).toEqual([5])
    expect(await numbers({ kind: 'agent' })).toEqual([5, 3, 1])
    expect(await numbers({ kind: 'agent', status: 'pending' })).toEqual([3])
    expect(await numbers({ subject: 'run_3' })).toEqual([3])
    expect(await numbers({ ids: ['task_1', 'task_9', 'task_6', 'task_1', `'; --`] })).toEqual([6, 1])
    expect(await numbers({ ids: ['task_1', 'task_6'], status: 'running' })).toEqual([1])
    expect(await numbers({ ids: [] })).toEqual([])
    expect(await numbers({ limit: 3 })).toEqual([6, 5, 4])
    expect(await numbers({ limit: 3, after: 'task_4' })).toEqual([3, 2, 1])
    expect(await numbers({ limit: 3, after: 'task_1' })).toEqual([0])
    expect(await numbers({ status: 'pending', limit: 1, after: 'task_4' })).toEqual([3])
    expect(await numbers({ status: 'timed_out' })).toEqual([])
    expect(await numbers({ after: 'task_9' })).toEqual([])
  })
}
