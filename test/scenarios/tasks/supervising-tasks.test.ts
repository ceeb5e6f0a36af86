import { expect, test } from 'vitest'
import { processLiveness } from '../../../src/hosts/process/process-liveness.ts'
import { systemClock } from '../../../src/hosts/process/system-clock.ts'
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts'
import { supervise } from '../../../src/tasks/supervisor/supervise.ts'
import { processFamilies } from '../../../src/tools/run-command/process-family.ts'
import { aTaskPlace, command, SUPERVISOR } from './task-place.ts'

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
  await supervise({ ...needs, environment: {}, noteCommand: () => () => {}, onWake: () => {} }, id, 1)
  const ended = { status: 'cancelled', cancel_requested_by: null, invocation: { error: null } }
  expect(await registry.task(id)).toMatchObject(ended)
  const records = (await store.audit({})).map(({ record }) => JSON.parse(record))
  expect(records).toContainEqual(expect.objectContaining({ kind: 'task.cancelled', actor: 'ben' }))
})

test('a store that is handed over by environment is in no argument, and its command does not inherit it', async () => {
  await using place = await aTaskPlace()
  const url = `sqlite:${place.file('holdpoint.db')}`
  const tasks = place.manager({
    supervisor: [process.execPath, SUPERVISOR],
    supervisorOnly: { HOLDPOINT_SUPERVISOR_STORE: url },
    environment: { PATH: process.env['PATH'] },
  })
  const shown = 'tr "\\0" " " </proc/$PPID/cmdline; echo; env'
  const task = await place.rested(await tasks.start(command(['sh', '-c', shown], { workdir: place.directory })))
  expect(task).toMatchObject({ status: 'completed', invocation: { argv: ['sh', '-c', shown] } })
  const [line = '', ...variables] = (await place.printed(task)).split('\n')
  expect(line).toContain(`${SUPERVISOR} ${task.id} 1`)
  expect(line).not.toContain(url)
  expect(variables).toContain(`HOLDPOINT_TASK=${task.id}/1`)
  expect(variables.join()).not.toContain(url)
})
