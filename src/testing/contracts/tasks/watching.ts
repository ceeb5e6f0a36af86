import type { TaskStatus } from '../../../core/task/task.ts'
import type { Requester } from '../../../core/task/task-move.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Store } from '../../../ports/store/store.ts'
import type { Kit } from '../contract-kit.ts'

import { ANA, allTasks, aMove, aTask, aTaskThatIs, BEN } from './sample-task.ts'

export function watchingTasks({ test, expect, scene }: Kit): void {
  test('whoever watches tasks hears of each that changed, once that can be read, and nobody else does', async () => {
    await using it = await scene()
    const seen: Promise<readonly (readonly [string, TaskStatus])[]>[] = []
    const statuses = async () => (await it.store.tasks.tasks({})).map(({ id, status }) => [id, status] as const)
    const others: unknown[] = []
    using _tasks = it.store.tasks.watch(() => seen.push(statuses()))
    // A call without cause may come: it names no thread.
    using _journals = it.store.watch(change => change && others.push(change))
    await it.store.tasks.create(aTask())
    // A read that is under way may see the next change.
    await Promise.all(seen)
    await it.store.tasks.move(aMove('running', { from: ['pending'] }))
    const told = (await Promise.all(seen)).filter(tasks => tasks.length > 0)
    expect([told.at(0), told.at(-1)]).toEqual([[['task_1', 'pending']], [['task_1', 'running']]])
    expect(others).toEqual([])
  })

  test('whoever stopped to watch tasks is not called back', async () => {
    await using it = await scene()
    let calls = 0
    it.store.tasks
      .watch(() => {
        calls += 1
      })
      [Symbol.dispose]()
    await it.store.tasks.create(aTask())
    expect(calls).toBe(0)
  })
}

/** `reopen` opens the same data once more, as a second process would. */
export function tasksOpenedTwice(
  { test, expect, scene }: Kit,
  reopen: (store: Store, clock: Clock) => Promise<Store>,
): void {
  test('of two that move a task, one here and one there, one does, and both read the same', async () => {
    await using it = await scene()
    await using other = await reopen(it.store, it.clock)
    await aTaskThatIs(it.store.tasks, 'paused')
    const resume = ({ tasks }: Store, asker: Requester) =>
      tasks.move({ task_id: 'task_1', invocation: 1, from: ['paused'], next: { ...asker, argv: ['again'] } })
    const moved = await Promise.all([resume(it.store, ANA), resume(other, BEN)])
    expect(moved.filter(task => task !== null)).toHaveLength(1)
    expect(await allTasks(other)).toEqual(await allTasks(it.store))
    expect(await other.tasks.invocations('task_1')).toHaveLength(2)
  })

  test('of two that create a task about the same run, one here and one there, one does', async () => {
    await using it = await scene()
    await using other = await reopen(it.store, it.clock)
    const created = await Promise.allSettled([
      it.store.tasks.create(aTask({ subject: 'run_1' })),
      other.tasks.create(aTask({ id: 'task_2', subject: 'run_1' })),
    ])
    expect(created.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('whoever watches tasks hears of what is done elsewhere', async () => {
    await using it = await scene()
    await using other = await reopen(it.store, it.clock)
    const heard = Promise.withResolvers<void>()
    using _watch = other.tasks.watch(heard.resolve)
    await it.store.tasks.create(aTask())
    await heard.promise
    expect(await other.tasks.task('task_1')).toMatchObject({ status: 'pending' })
  })
}
