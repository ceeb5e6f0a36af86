/** How far long work is. */
import { describe, expect, test } from 'vitest'
import { aProject } from '../project.ts'
import { HAS_TERMINAL, inTerminal } from './pseudo-terminal.ts'

const SLOW = [
  { calls: [{ id: 'tc_1', name: 'run_command_task', args: { title: 'build', command: 'sleep 3' } }] },
  'It is under way.',
]

describe.skipIf(!HAS_TERMINAL)('in a terminal', () => {
  test.each([80, 120])(
    'a wait for a task tells how long it has been at %d columns, and leaves nothing',
    async columns => {
      await using project = await aProject({ script: SLOW })
      await project.holdpoint('-a', '-t', 'run_command_task', 'go')
      const [{ task_id }] = (await project.holdpoint('tasks', '--json')).json
      const { screen, screens } = await inTerminal(project, ['tasks', 'wait', task_id], {
        columns,
        keys: [['Waiting for the task  1.', '']],
      })
      expect(screens[0]).toMatch(/^Waiting for the task {2}1\.\d s\n$/)
      expect(screen).toBe(`${task_id}  completed  (build)\n`)
    },
  )

  test('Ctrl-C ends the wait, and leaves nothing of it', async () => {
    await using project = await aProject({ script: SLOW })
    await project.holdpoint('-a', '-t', 'run_command_task', 'go')
    const [{ task_id }] = (await project.holdpoint('tasks', '--json')).json
    const keys = [['Waiting for the task  1.', '\u0003']] as const
    const { exit, screen } = await inTerminal(project, ['tasks', 'wait', task_id], { keys })
    expect(exit).toBe(130)
    expect(screen).not.toContain('Waiting')
  })

  test.each([
    ['audit', 'verify'],
    ['prune', '--older-than', '1d'],
  ])('%s %s is over too soon to be told', async (...args) => {
    await using project = await aProject({ script: ['Done.'] })
    await project.holdpoint('-a', '-t', 'run_command_task', 'go')
    const { exit, screen } = await inTerminal(project, args)
    expect(exit).toBe(0)
    expect(screen).not.toMatch(/Checking|Deleting/)
  })
})

test('without a terminal a short wait says nothing, and with --json never', async () => {
  await using project = await aProject({ script: SLOW })
  await project.holdpoint('-a', '-t', 'run_command_task', 'go')
  const [{ task_id }] = (await project.holdpoint('tasks', '--json')).json
  expect(await project.holdpoint('tasks', 'wait', task_id, '--json')).toMatchObject({ exit: 0, stderr: '' })
})
