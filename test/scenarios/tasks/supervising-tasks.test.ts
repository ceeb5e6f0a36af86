import { expect, test } from 'vitest'
import type { Task } from '../../../src/core/task.ts'
import { processLiveness } from '../../../src/hosts/process-liveness.ts'
import { systemClock } from '../../../src/hosts/system-clock.ts'
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts'
import { supervise } from '../../../src/tasks/supervise.ts'
import { processFamilies } from '../../../src/tools/run-command/process-family.ts'

test('P10: a task that was cancelled before it began runs nothing, and its end names who wanted that', async () => {
  await using store = await openSqliteStore(':memory:', systemClock)
  const { tasks: registry } = store
  const names = processLiveness()
  const ana = { by: 'ana', surface: 'test' }
  const asked = { kind: 'command', title: 'no', subject: null, details: {}, workdir: '/', timeout_ms: null }
  const { id } = await registry.create({ ...ana, ...asked, id: 'task_1', argv: ['/nonexistent'] })
  const cancel = { ...ana, by: 'ben' }
  await registry.move({ task_id: id, invocation: 1, from: ['pending'], cancel })
  const ends: Task[] = []
  const needs = { registry, names, clock: systemClock, families: processFamilies, directory: '/nonexistent' }
  const told = { environment: {}, onWake: () => {}, afterEnd: async (task: Task) => void ends.push(task) }
  await supervise({ ...needs, ...told }, id, 1)
  expect(ends).toMatchObject([{ status: 'cancelled', cancel_requested_by: 'ben', invocation: { error: null } }])
  expect(await registry.task(id)).toMatchObject({ status: 'cancelled', cancel_requested_by: null })
})
