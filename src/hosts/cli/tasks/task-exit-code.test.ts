import { expect, test } from 'vitest'
import type { TaskStatus } from '../../../core/task/task.ts'
import { exitCodeOfTasks } from './task-text.ts'

const TABLE: readonly (readonly [statuses: readonly TaskStatus[], any: number, all: number])[] = [
  [['completed'], 0, 0],
  [['completed', 'running'], 0, 1],
  [['completed', 'pending', 'paused'], 10, 10],
  [['completed', 'failed'], 1, 1],
  [['failed', 'paused'], 10, 10],
  [['cancelled'], 1, 1],
  [['timed_out', 'running'], 1, 1],
]

test.each(TABLE)('%j: with --any the code is %i, without it %i', (statuses, any, all) => {
  expect([exitCodeOfTasks(statuses, 'any'), exitCodeOfTasks(statuses, 'all')]).toEqual([any, all])
})
