import { expect, test } from 'vitest'
import type { Task } from '../../core/task/task.ts'
import type { TaskMove } from '../../core/task/task-move.ts'
import type { TaskRegistry } from '../../ports/store/fleet/task-registry.ts'
import { persistMove } from './persist-move.ts'

const MOVE: TaskMove = { task_id: 'task_1', invocation: 1, from: ['running'], to: 'completed' }

/** A store that cannot be written until `wellAt` (ms), and a clock that only sleeping turns. */
function aPlace(wellAt: number) {
  let now = 0
  const tries: number[] = []
  const move = async () => {
    tries.push(now)
    if (now < wellAt) throw new Error('the disk is full')
    return { id: 'task_1' } as Task
  }
  const clock = {
    steady: () => now,
    sleep: async (ms: number) => {
      now += ms
    },
  }
  return { tries, needs: { registry: { move } as unknown as TaskRegistry, clock } }
}

test('what could not be written is written once the store is well again', async () => {
  const { tries, needs } = aPlace(60_000)
  expect(await persistMove(needs, MOVE)).toEqual({ id: 'task_1' })
  expect(tries.length).toBeLessThan(25)
  expect(tries.at(-1)).toBeLessThanOrEqual(65_000)
})

test('a store that stays broken is given up at last', async () => {
  const { tries, needs } = aPlace(Number.POSITIVE_INFINITY)
  await expect(persistMove(needs, MOVE)).rejects.toThrow('the disk is full')
  expect(tries.at(-1)).toBeGreaterThan(600_000)
})
