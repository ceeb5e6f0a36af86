import { takenBy, WAITS_FOR_TURN } from '../../../core/task/start-queue.ts'
import type { Store } from '../../../ports/store/store.ts'
import type { Kit } from '../contract-kit.ts'

import { aMove, aRun, aTask, aTaskThatIs, BEN } from './sample-task.ts'

export function takingTurns({ test, expect, scene }: Kit): void {
  const take = (store: Store, most: number) => store.tasks.takeNext({ kind: 'agent', most, by: 'here 1' })

  async function waiting(store: Store, ...ids: string[]): Promise<void> {
    for (const id of ids) await store.tasks.create(aTask({ id, kind: 'agent', waits: true }))
  }

  test('a task that waits for its turn is taken in the order of the wishes', async () => {
    await using it = await scene()
    await waiting(it.store, 'task_1', 'task_2', 'task_3')
    const paused = await aTaskThatIs(it.store.tasks, 'paused', { id: 'task_0', kind: 'agent' })
    const next = { ...BEN, argv: ['again'], waits: true }
    const resumed = await it.store.tasks.move(aMove('pending', { task_id: paused.id, from: ['paused'], next }))
    expect(resumed?.invocation).toMatchObject({ n: 2, supervisor: WAITS_FOR_TURN })
    const taken = []
    for (let task = await take(it.store, 9); task; task = await take(it.store, 9)) taken.push(task)
    expect(taken.map(({ id }) => id)).toEqual(['task_1', 'task_2', 'task_3', 'task_0'])
    expect(taken[0]?.invocation).toMatchObject({ status: 'pending', supervisor: takenBy('here 1') })
  })

  test('no more are taken than have a place; what rests or waits, and other kinds, take none', async () => {
    await using it = await scene()
    await aTaskThatIs(it.store.tasks, 'running', { id: 'other', kind: 'command' })
    await aTaskThatIs(it.store.tasks, 'paused', { id: 'rests', kind: 'agent' })
    await aTaskThatIs(it.store.tasks, 'running', { id: 'works', kind: 'agent' })
    await waiting(it.store, 'task_1', 'task_2')
    expect(await take(it.store, 1)).toBeNull()
    expect(await take(it.store, 2)).toMatchObject({ id: 'task_1' })
    expect(await take(it.store, 2)).toBeNull()
    await it.store.tasks.move(aMove('completed', { task_id: 'works', from: ['running'] }))
    expect(await take(it.store, 2)).toMatchObject({ id: 'task_2' })
  })

  test('of many that take at once, each gets another task, and none one too many', async () => {
    await using it = await scene()
    await waiting(it.store, ...Array.from({ length: 10 }, (_, n) => `task_${n}`))
    const taken = await Promise.all(Array.from({ length: 20 }, () => take(it.store, 4)))
    const ids = taken.flatMap(task => (task ? [task.id] : []))
    expect(ids.toSorted()).toEqual(['task_0', 'task_1', 'task_2', 'task_3'])
  })

  test('one that is cancelled while it waits is not taken', async () => {
    await using it = await scene()
    await waiting(it.store, 'task_1', 'task_2')
    const cancel = { from: ['pending'], supervisor: WAITS_FOR_TURN, to: 'cancelled', cancel: BEN } as const
    await it.store.tasks.move({ task_id: 'task_1', invocation: 1, ...cancel })
    expect(await take(it.store, 9)).toMatchObject({ id: 'task_2' })
  })

  test('no worker is offered the run of a task that waits for its turn; one may leave out all runs of tasks', async () => {
    await using it = await scene()
    for (const id of ['run_1', 'run_2', 'run_3']) await it.store.start(aRun(id, 'running'))
    await it.store.tasks.create(aTask({ id: 'task_1', kind: 'agent', subject: 'run_1', waits: true }))
    await it.store.tasks.create(aTask({ id: 'task_2', kind: 'agent', subject: 'run_2' }))
    const ready = async (tasks?: boolean) =>
      (await it.store.readyRuns({ limit: 9, ...(tasks !== undefined && { tasks }) })).map(({ id }) => id)
    expect(await ready()).toEqual(['run_2', 'run_3'])
    expect(await ready(false)).toEqual(['run_3'])
    await take(it.store, 2)
    expect(await ready()).toEqual(['run_1', 'run_2', 'run_3'])
  })
}
