import { expect, test } from 'vitest'
import type { Task } from '../core/task/task.ts'
import { commandEnvironment, markOf, supervisorEnvironment } from './task-environment.ts'

const task = { id: 'task_1', workdir: '/work', invocation: { n: 1 } } as Task

test('what tells of whoever started it stays behind, unless it is given on purpose', () => {
  const own = { KEPT: 'k', HOLDPOINT_WITHIN: 'agent:a/1', HOLDPOINT_COMMAND_IDS: 'x', HOLDPOINT_TASK: 'task_0/1' }
  expect(supervisorEnvironment(own, {})).toEqual({ KEPT: 'k' })
  expect(supervisorEnvironment(own, { HOLDPOINT_WITHIN: 'agent:b/2', KEPT: undefined })).toEqual({
    HOLDPOINT_WITHIN: 'agent:b/2',
  })
})

test('names that a shell would drop arrive all the same', () => {
  const given = { 'a.b': '1', 'c-d': '"2"\n', 'BASH_FUNC_x%%': '() { :; }', 'gone-1': undefined }
  const carried = supervisorEnvironment({ PATH: '/bin' }, given)
  expect(Object.keys(carried).every(name => /^\w+$/.test(name))).toBe(true)
  expect(commandEnvironment(carried, task)).toEqual({
    ...{ PATH: '/bin', 'a.b': '1', 'c-d': '"2"\n', 'BASH_FUNC_x%%': '() { :; }' },
    ...{ PWD: '/work', HOLDPOINT_TASK: 'task_1/1' },
  })
})

test('the mark of one invocation is found in its environment, and in that of no other', () => {
  const environ = (n: number) =>
    Object.entries(commandEnvironment({}, { ...task, invocation: { ...task.invocation, n } }))
      .map(([name, value]) => `${name}=${value}\0`)
      .join('')
  expect([1, 10, 11].map(n => environ(n).includes(markOf('task_1', 1)))).toEqual([true, false, false])
})

test('P10: the key of records reaches the process of an agent, and no command', () => {
  const own = { HOLDPOINT_SEAL_KEY: 'key' }
  expect(commandEnvironment(own, { ...task, kind: 'agent' })).toMatchObject(own)
  expect(commandEnvironment(own, { ...task, kind: 'command' })).not.toHaveProperty('HOLDPOINT_SEAL_KEY')
})
