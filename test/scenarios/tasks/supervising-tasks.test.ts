import { expect, test } from 'vitest'
import { processLiveness } from '../../../src/hosts/process/process-liveness.ts'
import { systemClock } from '../../../src/hosts/process/system-clock.ts'
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts'
import { supervise } from '../../../src/tasks/supervisor/supervise.ts'
import { processFamilies } from '../../../src/tools/run-command/process-family.ts'

test('P10: a task that was cancelled before it began runs nothing, and who wanted that is on record', async () => {
  await using store = await openSqliteStore(':memory:', systemClock)
  const { tasks: registry } = store
  const names = processLiveness()
  const ana = { by: 'ana', surface: 'test' }
  const asked = { kind: 'command', title: 'no', subject: null, details: {}, workdir: '/', timeout_ms: null }
  const { id } = await registry.create({ ...ana, ...asked, id: 'task_1', argv: ['/nonexistent'] })
  const cancel = { ...ana, by: 'ben' }
  await registry.move({ task_id: id, invocation: 1, from: ['pending'], cancel })
  const needs = { registry, names, clock: systemClock, families: processFamilies, directory: '/nonexistent' }
  await supervise({ ...needs, environment: {}, onWake: () => {} }, id, 1)
  const ended = { status: 'cancelled', cancel_requested_by: null, invocation: { error: null } }
  expect(await registry.task(id)).toMatchObject(ended)
  const records = (await store.audit({})).map(({ record }) => JSON.parse(record))
  expect(records).toContainEqual(expect.objectContaining({ kind: 'task.cancelled', actor: 'ben' }))
})
