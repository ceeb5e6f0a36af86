import { expect, test } from 'vitest'
import type { Task, TaskStatus } from '../../core/task/task.ts'
import { findAgent } from '../fleet/find-agent.ts'
import { tasksUnderWay } from './tasks-under-way.ts'

/** One task, which has the next of these statuses at each read. */
function moving(...statuses: readonly TaskStatus[]) {
  let reads = 0
  return {
    tasks: async ({ status }: { readonly status?: TaskStatus }) => {
      const now = statuses[Math.min(reads++, statuses.length - 1)]
      const task = { id: 'task_1', kind: 'agent', status: now, details: { name: 'talker' } } as unknown as Task
      return status === undefined || status === now ? [task] : []
    },
  }
}

test.each([
  [['pending', 'running']],
  [['pending', 'running', 'paused']],
  [['paused', 'paused', 'pending']],
  [['running', 'paused', 'pending']],
] as const)('a task that is %j from read to read is found once', async statuses => {
  expect(await tasksUnderWay(moving(...statuses))).toHaveLength(1)
})

test.each([[['completed', 'completed', 'completed', 'running']], [['failed', 'pending', 'running']]] as const)(
  'an agent that is %j from read to read is found by its name',
  async statuses => {
    const store = { tasks: moving(...statuses) } as unknown as Parameters<typeof findAgent>[0]['store']
    expect((await findAgent({ store }, 'talker')).id).toBe('task_1')
  },
)
