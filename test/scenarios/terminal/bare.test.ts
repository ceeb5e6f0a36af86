import { expect, test } from 'vitest'
import { aProject, effect } from '../project.ts'
import { HAS_TERMINAL, inTerminal, masked } from './pseudo-terminal.ts'

const terminal = test.skipIf(!HAS_TERMINAL)
/** With a model it is a chat. */
const NO_MODEL = { HOLDPOINT_MODEL: '' }
const ASKED = 'A number, or Enter to leave: '

/** Times differ from run to run. */
const still = (screen: string) =>
  masked(screen)
    .replaceAll(/\d+ min ago/g, 'just now')
    .replaceAll(/\d+ (?:s|min)\b/g, '9 s')
    .replace(/in \/\S+/, 'in DIRECTORY')

terminal(
  'holdpoint alone offers what can be done in an empty directory, and Enter leaves without a trace',
  async () => {
    await using project = await aProject()
    const { exit, screen } = await inTerminal(project, [], { keys: [[ASKED, '\r']] })
    expect(exit).toBe(0)
    expect(still(screen)).toBe(`holdpoint 0.1.0 in DIRECTORY

  1  set up this directory           holdpoint init
  2  see a run pause and go on       holdpoint demo
  3  check that agents can run here  holdpoint doctor
  4  read the help                   holdpoint --help

A number, or Enter to leave:
`)
    expect(project.exists('.holdpoint')).toBe(false)
  },
)

terminal('q leaves too', async () => {
  await using project = await aProject()
  expect(await inTerminal(project, [], { keys: [[ASKED, 'q\r']] })).toMatchObject({ exit: 0 })
})

terminal('what waits comes first, and is decided from there', async () => {
  await using project = await aProject({ script: [{ calls: [effect('tc_1', 'one')] }, 'Done.'] })
  await project.holdpoint('--pause-on-approval', 'go')
  const { exit, screen, screens } = await inTerminal(project, [], {
    env: NO_MODEL,
    keys: [
      [ASKED, '9\r'],
      [ASKED, '1\r'],
      ['y, n, edit or later?', 'approve\r'],
    ],
  })
  expect(exit).toBe(0)
  // By the second question the first one is drawn.
  const [first] = still(screens[1] ?? '').split(' leave: ')
  expect(screen).toContain('That is no number from 1 to 5.')
  expect(first).toBe(`holdpoint 0.1.0 in DIRECTORY
1 hold waits for 9 s: run_command {"command":"echo one >> effects.log"}
The last session waits, just now: go

  1  decide what waits               holdpoint approve
  2  go on with the last session     holdpoint -c th_xxxxxxxxxxxxxxxx
  3  see a run pause and go on       holdpoint demo
  4  check that agents can run here  holdpoint doctor
  5  read the help                   holdpoint --help

A number, or Enter to`)
  expect(screen).toContain('echo one >> effects.log')
  expect((await project.holdpoint('holds', '--json')).json).toEqual([])
})

terminal('a person goes on with the last session', async () => {
  await using project = await aProject({ script: ['Hello.', 'Hello again.'] })
  await project.holdpoint('go')
  const second = await inTerminal(project, [], {
    env: NO_MODEL,
    keys: [
      ['The last session ended, ', ''],
      [ASKED, '1\r'],
      ['What to say: ', 'and now\r'],
    ],
  })
  expect(second).toMatchObject({ exit: 0, screen: expect.stringContaining('Hello again.') })
  const [run, ...others] = (await project.holdpoint('threads', '--json')).json
  expect(others).toEqual([])
  expect((await project.messages(run.session_id)).filter(({ role }) => role === 'user')).toHaveLength(2)
})

test('holdpoint alone without a terminal is refused with what to write', async () => {
  await using project = await aProject()
  const refused = await project.holdpoint()
  expect(refused).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining('no prompt was given') })
})
