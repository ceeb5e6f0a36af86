/** What the terminal of a worker hears of holds. */
import { describe, expect, test } from 'vitest'
import { until } from '../processes.ts'
import { aProject, effect, type Project } from '../project.ts'
import { HAS_TERMINAL, inTerminal } from './pseudo-terminal.ts'

async function aRinging(): Promise<Project> {
  const project = await aProject({
    script: [{ calls: [effect('tc_1', 'one')] }, 'Done.'],
    policy: { default: 'prompt' },
    // The command is told of what waited before, so its file says that the worker listens.
    config: { notify: { channels: { terminal: true, command: { argv: ['sh', '-c', 'cat >> told.jsonl'] } } } },
  })
  expect((await project.holdpoint('trust', '--yes')).exit).toBe(0)
  await paused(project)
  return project
}

async function paused(project: Project): Promise<string> {
  const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
  return json.pause_reason.pending_tool_calls[0].hold_id
}

/** All that the worker wrote from its start to the end of `sign`. */
async function heard(project: Project, sign: string, env: Readonly<Record<string, string>> = {}) {
  const over = inTerminal(project, ['work'], { env, keys: [[sign, '\u0003']] })
  await until(() => project.exists('told.jsonl'))
  const hold = await paused(project)
  return { hold, ...(await over) }
}

describe.skipIf(!HAS_TERMINAL)('the terminal of a worker', () => {
  test('rings when a hold opens, and says which one', async () => {
    await using project = await aRinging()
    const { hold, written, screen } = await heard(project, '\u0007\u0007')
    expect(written).toContain(`\u001b]9;default waits: holdpoint show ${hold}\u0007\u0007`)
    // Of what waited before it was told elsewhere.
    expect(written.split('\u001b]9;')).toHaveLength(2)
    expect(screen).not.toContain('default waits')
  })

  test('leaves it to a terminal that knows its focus to be quiet for a person who looks at it', async () => {
    await using project = await aRinging()
    const { hold, written } = await heard(project, '\u001b\\', { TERM: 'xterm-kitty' })
    expect(written).toContain(`\u001b]99;i=holdpoint:o=unfocused;default waits: holdpoint show ${hold}\u001b\\`)
    expect(written).not.toContain('\u0007')
  })
})
