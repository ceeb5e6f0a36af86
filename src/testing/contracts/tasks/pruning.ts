import type { Store } from '../../../ports/store/store.ts'
import type { Kit } from '../contract-kit.ts'

import { allTasks, aMove, aRun, aTask, aTaskThatIs, BEN, recordsOf } from './sample-task.ts'

export function pruningTasks({ test, expect, scene }: Kit): void {
  const prune = (store: Store, changes: { dry_run?: boolean; after?: string } = {}) =>
    store.prune({ before: '2030-01-01T00:00:00.500Z', dry_run: false, by: 'ana', surface: 'test', ...changes })

  test.each(['paused', 'completed', 'failed', 'cancelled', 'timed_out'] as const)(
    'one that is %s goes with the run that it is about, with its invocations',
    async status => {
      await using it = await scene()
      await it.store.start(aRun('run_1', 'done'))
      await aTaskThatIs(it.store.tasks, status, { subject: 'run_1' })
      await it.clock.advance(1000)
      const page = { threads: [{ thread_id: 'th_of_run_1', tasks: 1 }], tasks: ['task_1'], next: null }
      expect(await prune(it.store, { dry_run: true })).toMatchObject(page)
      expect(await it.store.tasks.task('task_1')).not.toBeNull()
      expect(await prune(it.store)).toMatchObject(page)
      expect(await it.store.tasks.task('task_1')).toBeNull()
      expect(await it.store.tasks.invocations('task_1')).toEqual([])
      expect(await recordsOf(it.store, 'thread.pruned')).toMatchObject([{ data: { tasks: 1 } }])
    },
  )

  test.each(['pending', 'running'] as const)('one that is %s stays, though its run goes', async status => {
    await using it = await scene()
    await it.store.start(aRun('run_1', 'done'))
    const task = await aTaskThatIs(it.store.tasks, status, { subject: 'run_1' })
    await it.clock.advance(1000)
    expect(await prune(it.store)).toMatchObject({ threads: [{ tasks: 0 }], tasks: [] })
    expect(await it.store.tasks.task('task_1')).toEqual(task)
  })

  test('one that is about a run that stays, stays', async () => {
    await using it = await scene()
    await it.store.start(aRun('run_1', 'waiting'))
    await aTaskThatIs(it.store.tasks, 'failed', { subject: 'run_1' })
    await it.clock.advance(1000)
    expect(await prune(it.store)).toEqual({ threads: [], tasks: [], next: null })
    expect(await it.store.tasks.task('task_1')).not.toBeNull()
  })

  test.each(['completed', 'failed', 'cancelled', 'timed_out'] as const)(
    'one about no run goes once it is %s and old, and that is on record',
    async status => {
      await using it = await scene()
      await aTaskThatIs(it.store.tasks, status)
      expect(await prune(it.store)).toMatchObject({ tasks: ['task_1'] })
      expect(await allTasks(it.store)).toEqual([])
      expect(await recordsOf(it.store, 'task.pruned')).toMatchObject([{ actor: 'ana', data: { task_id: 'task_1' } }])
      expect(await it.store.verifyAudit()).toMatchObject({ faults: [] })
    },
  )

  test.each(['pending', 'running', 'paused'] as const)('one that is %s stays, however old it is', async status => {
    await using it = await scene()
    const task = await aTaskThatIs(it.store.tasks, status)
    await it.clock.advance(1000)
    expect(await prune(it.store)).toMatchObject({ tasks: [] })
    expect(await it.store.tasks.task('task_1')).toEqual(task)
  })

  test('one that changed since stays', async () => {
    await using it = await scene()
    await aTaskThatIs(it.store.tasks, 'running')
    await it.clock.advance(1000)
    await it.store.tasks.move(aMove('completed', { from: ['running'] }))
    expect(await prune(it.store)).toMatchObject({ tasks: [] })
  })

  test.each([true, false])('page by page each task comes once (dry run: %s)', async dry_run => {
    await using it = await scene()
    const cancelled = async (task_id: string) => {
      await it.store.tasks.create(aTask({ id: task_id }))
      await it.store.tasks.move(aMove('cancelled', { task_id, from: ['pending'] }))
    }
    await Promise.all(Array.from({ length: 501 }, (_, n) => cancelled(`task_${n}`)))
    await it.clock.advance(1000)
    const first = await prune(it.store, { dry_run })
    const second = await prune(it.store, { dry_run, after: first.next ?? '' })
    expect(second).toMatchObject({ threads: [], next: null })
    expect(new Set([...first.tasks, ...second.tasks]).size).toBe(501)
    expect(await it.store.tasks.tasks({})).toHaveLength(dry_run ? 501 : 0)
  })

  test.each(['paused', 'completed', 'failed', 'cancelled', 'timed_out'] as const)(
    'one that is %s can be forgotten by itself, with its invocations; that is on record, and its run stays',
    async status => {
      await using it = await scene()
      await it.store.start(aRun('run_1', 'done'))
      await aTaskThatIs(it.store.tasks, status, { subject: 'run_1' })
      expect(await it.store.tasks.remove('task_1', { ...BEN, invocation: 1 })).toBe(true)
      expect(await it.store.tasks.task('task_1')).toBeNull()
      expect(await it.store.tasks.invocations('task_1')).toEqual([])
      expect(await it.store.run('run_1')).not.toBeNull()
      const record = { actor: 'ben', surface: 'mcp', run_id: 'run_1', data: { task_id: 'task_1' } }
      expect(await recordsOf(it.store, 'task.pruned')).toMatchObject([record])
    },
  )

  test.each(['pending', 'running'] as const)('one that is %s is not forgotten', async status => {
    await using it = await scene()
    const task = await aTaskThatIs(it.store.tasks, status)
    expect(await it.store.tasks.remove('task_1', { ...BEN, invocation: 1 })).toBe(false)
    expect(await it.store.tasks.task('task_1')).toEqual(task)
  })

  test('one that has moved on since it was seen is not forgotten, and no other one is', async () => {
    await using it = await scene()
    await aTaskThatIs(it.store.tasks, 'failed')
    expect(await it.store.tasks.remove('task_1', { ...BEN, invocation: 2 })).toBe(false)
    expect(await it.store.tasks.remove('task_9', { ...BEN, invocation: 1 })).toBe(false)
    expect(await recordsOf(it.store, 'task.pruned')).toEqual([])
    expect(await it.store.tasks.tasks({})).toHaveLength(1)
  })
}
