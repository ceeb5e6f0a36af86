/** What a person sees of a run while it goes on. */
import { describe, expect, test } from 'vitest'
import { aProject, command, effect } from '../project.ts'
import { HAS_TERMINAL, inTerminal, masked } from './pseudo-terminal.ts'

const LONG = `echo ${'word '.repeat(30)}`
const SCRIPT = [
  { text: 'I look first.', calls: [command('tc_1', 'exit 3'), command('tc_2', LONG)] },
  { text: 'Now I apply it.', calls: [effect('tc_3', 'one')] },
  'All is done.',
]
/** No warning that nobody was asked. */
const RUNS = { tools: { run_command: 'auto' } }
const ASKS = { tools: { run_command: 'prompt' } }
const ENDS = (steps: number) => `
completed · ${steps} steps · 0 tokens
session th_xxxxxxxxxxxxxxxx · run run_xxxxxxxxxxxxxxxx
go on: holdpoint -c cp_xxxxxxxxxxxxxxxxxxxxxxxxxx "…"
`

// A pseudo terminal comes from script(1) of util-linux.
describe.skipIf(!HAS_TERMINAL)('in a terminal', () => {
  test.each([80, 120])('text, calls and their ends are shown as they come at %d columns', async columns => {
    await using project = await aProject({ script: SCRIPT, policy: RUNS })
    const { exit, screen } = await inTerminal(project, ['-a', 'go'], { columns })
    expect(exit).toBe(0)
    const long = `✓ run_command  ${LONG}`
    expect(masked(screen)).toBe(
      `I look first.

✗ run_command  exit 3 · exit 3
${long.slice(0, columns - 2)}…

Now I apply it.

✓ run_command  echo one >> effects.log

All is done.
${ENDS(3)}`,
    )
  })

  test.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }])('with %j each call has a line when it begins too', async env => {
    await using project = await aProject({ script: SCRIPT.slice(1), policy: RUNS })
    const { screen, written } = await inTerminal(project, ['-a', 'go'], { env })
    expect(masked(screen)).toBe(
      `Now I apply it.

· run_command  echo one >> effects.log
✓ run_command  echo one >> effects.log

All is done.
${ENDS(2)}`,
    )
    expect(written).not.toContain('\u001b')
  })

  test('a call that takes its time has a spinner, its time and its last line, and leaves one line', async () => {
    const slow = command('tc_1', 'echo begun; sleep 2; echo over')
    await using project = await aProject({ script: [{ calls: [slow] }, 'Done.'], policy: RUNS })
    const { screen, screens } = await inTerminal(project, ['-a', 'go'], { keys: [['  1.', '']] })
    expect(screens[0]).toMatch(/^[⠁-⠿] run_command {2}echo begun; sleep 2; echo over {2}1\.\d s\n {2}begun\n$/u)
    expect(masked(screen.replace(/ · 2\.\d s$/gm, ''))).toBe(
      `✓ run_command  echo begun; sleep 2; echo over

Done.
${ENDS(2)}`,
    )
  })

  test('a terminal without a size gets lines', async () => {
    await using project = await aProject({ script: SCRIPT.slice(1), policy: RUNS })
    const { written } = await inTerminal(project, ['-a', 'go'], { columns: 0, rows: 0, env: { FORCE_COLOR: '0' } })
    expect(written).toContain('· run_command  echo one')
  })

  test('a model that is slow has a spinner, and Ctrl-C leaves nothing of it', async () => {
    await using project = await aProject({ script: [{ text: 'Late.', delay_ms: 60_000 }] })
    const { exit, screen } = await inTerminal(project, ['-a', 'go'], { keys: [['script.json  1.', '\u0003']] })
    expect(exit).toBe(130)
    expect(screen).not.toMatch(/[⠋-⠿]/u)
    expect(screen).toContain('holdpoint: interrupted: The run was stopped by SIGINT.')
  })

  test('a second Ctrl-C leaves nothing of it either', async () => {
    await using project = await aProject({ script: [{ calls: [command('tc_1', "trap '' TERM INT; sleep 4")] }] })
    const keys = [
      ['  1.', '\u0003'],
      ['  2.', '\u0003'],
    ] as const
    const { exit, screen } = await inTerminal(project, ['-a', 'go'], { keys })
    expect(exit).toBe(130)
    expect(screen).not.toMatch(/[⠋-⠿]/u)
  })

  test('a pause says neither the text nor the rule twice', async () => {
    await using project = await aProject({ script: SCRIPT.slice(1), policy: ASKS })
    const { screen } = await inTerminal(project, ['--no-ask', '--pause-on-approval', 'go'])
    expect(screen.split('Now I apply it.')).toHaveLength(2)
    expect(screen).toMatch(/^\? run_command {2}echo one.* · waits \(approval\)$/m)
  })

  test('what was approved is told by its name in the next process', async () => {
    await using project = await aProject({ script: SCRIPT.slice(1), policy: ASKS })
    const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    const { screen } = await inTerminal(project, ['-c', json.checkpoint_id, '--approve', 'tc_3'])
    expect(screen).toMatch(/^✓ run_command {2}echo one >> effects\.log\n\nAll is done\.\n/)
  })

  test('when stdout is elsewhere, each event is a line on stderr', async () => {
    await using project = await aProject({ script: SCRIPT, policy: RUNS })
    const { screen } = await inTerminal(project, ['-a', 'go'], { redirect: '> out.txt' })
    expect(await project.read('out.txt')).toBe('All is done.\n')
    const long = `${`run_command  ${LONG}`.slice(0, 76)}…`
    expect(masked(screen)).toBe(
      `· the model: I look first.
· run_command  exit 3
✗ run_command  exit 3 · exit 3
· ${long}
✓ ${long}
· the model: Now I apply it.
· run_command  echo one >> effects.log
✓ run_command  echo one >> effects.log${ENDS(3)}`,
    )
  })

  test.each([
    ['-q', 'All is done.\n'],
    ['--quiet', 'All is done.\n'],
  ])('with %s only the result is shown', async (flag, shown) => {
    await using project = await aProject({ script: SCRIPT, policy: RUNS })
    expect((await inTerminal(project, ['-a', flag, 'go'])).screen).toBe(shown)
    expect((await inTerminal(project, ['-a', flag, 'go'], { redirect: '> out.txt' })).screen).toBe('\n')
  })

  test.each(['json', 'stream-json'])('with -o %s a terminal has documents alone', async format => {
    await using project = await aProject({ script: SCRIPT, policy: RUNS })
    const { screen } = await inTerminal(project, ['-o', format, 'go'], { redirect: '> out.txt' })
    expect(screen).toBe('\n')
    const { written } = await inTerminal(project, ['-o', format, 'go'])
    for (const line of written.trim().split('\n')) JSON.parse(line)
  })
})

test('--quiet and --verbose together are refused', async () => {
  await using project = await aProject({ script: SCRIPT, policy: RUNS })
  const { exit, json } = await project.holdpoint('-q', '--verbose', '-o', 'json', 'go')
  expect([exit, json.error.code]).toEqual([2, 'invalid_arguments'])
})

test('without a terminal nothing is shown but the result', async () => {
  await using project = await aProject({ script: SCRIPT, policy: RUNS })
  expect(await project.holdpoint('-a', 'go')).toMatchObject({ exit: 0, stdout: 'All is done.\n', stderr: '' })
})
