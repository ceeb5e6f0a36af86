/** What a person sees and types at a terminal. */
import { describe, expect, test } from 'vitest'
import { aProject, command, effect } from '../project.ts'
import { HAS_TERMINAL, inTerminal } from './pseudo-terminal.ts'

const ONE = { text: 'I will do it.', calls: [effect('tc_1', 'one')] }
const SAYS_PROMPT = { tools: { run_command: 'prompt' } }
const ASK = 'tc_1: yes, no, or /deny and why (Enter leaves it for later): '

// A pseudo terminal comes from script(1) of util-linux.
describe.skipIf(!HAS_TERMINAL)('in a terminal', () => {
  test('P1: without -a a call that policy asks about is shown in full, and runs once a person says yes', async () => {
    await using project = await aProject({ script: [ONE, 'Done.'], policy: SAYS_PROMPT })
    const { exit, screen } = await inTerminal(project, ['go'], { keys: [[ASK, 'yes\r']] })
    expect([exit, await project.effects()]).toEqual([0, ['one']])
    expect(screen).toContain('"command": "echo one >> effects.log"')
    expect(screen).toContain('Done.')
    const { stdout } = await project.holdpoint('audit')
    expect(stdout).toMatch(/hold\.decided.*by ana \(cli\)/)
  })

  test('a no is told to the model, with its reason', async () => {
    await using project = await aProject({ script: [ONE, 'As you wish.'], policy: SAYS_PROMPT })
    const { exit } = await inTerminal(project, ['go'], { keys: [[ASK, '/deny not on a Friday\r']] })
    expect([exit, await project.effects()]).toEqual([0, []])
    const [{ session_id }] = (await project.holdpoint('runs', '--json')).json
    expect(JSON.stringify(await project.messages(session_id))).toContain('not on a Friday')
  })

  test('an unclear answer decides nothing, and is asked about again', async () => {
    await using project = await aProject({ script: [ONE, 'Done.'], policy: SAYS_PROMPT })
    const { exit, screen } = await inTerminal(project, ['go'], {
      keys: [
        [ASK, 'perhaps\r'],
        [ASK, 'y\r'],
      ],
    })
    expect([exit, await project.effects()]).toEqual([0, ['one']])
    expect(screen).toContain('no clear yes or no')
  })

  test('Enter leaves it for later: exit 10, and any process goes on with it', async () => {
    await using project = await aProject({ script: [ONE, 'Done.'], policy: SAYS_PROMPT })
    const { exit, screen } = await inTerminal(project, ['go'], { keys: [[ASK, '\r']] })
    expect(exit).toBe(10)
    const [, checkpoint = ''] = /checkpoint +(cp_\w+)/.exec(screen) ?? []
    expect((await project.holdpoint('-c', checkpoint, '--approve', 'tc_1')).exit).toBe(0)
    expect(await project.effects()).toEqual(['one'])
  })

  test('P1: what was typed before the question is no answer to it', async () => {
    await using project = await aProject({ script: [ONE, 'Done.'], policy: SAYS_PROMPT })
    const { exit } = await inTerminal(project, ['go'], {
      keys: [
        ['Paused', 'yes\r'],
        [ASK, '\r'],
      ],
    })
    expect([exit, await project.effects()]).toEqual([10, []])
  })

  test('a question of the agent is answered there', async () => {
    const ask = { id: 'tc_1', name: 'ask_human', args: { question: 'Where to?', choices: ['east', 'west'] } }
    await using project = await aProject({ script: [{ calls: [ask] }, 'Done.'] })
    const { exit, screen } = await inTerminal(project, ['go'], {
      keys: [
        ['your answer (Enter', 'north\r'],
        ['your answer (Enter', 'west\r'],
      ],
    })
    expect(exit).toBe(0)
    expect(screen).toContain('choices: east | west')
  })

  test.each([
    ['-a', ['-a'], 0],
    ['a pause flag', ['--pause-on', 'approval'], 10],
  ] as const)('with %s nobody is asked there', async (_, flags, exit) => {
    await using project = await aProject({ script: [ONE, 'Done.'], policy: SAYS_PROMPT })
    const shown = await inTerminal(project, [...flags, 'go'])
    expect(shown.exit).toBe(exit)
    expect(shown.screen).not.toContain('Enter leaves it for later')
  })

  const HOSTILE = [
    ['a clear screen', '\u001b[2J\u001b[H', '\\u{1b}[2J'],
    ['an APC', '\u001b_hidden\u001b\\', '\\u{1b}_hidden'],
    ['a C1 control', '\u009b2J', '\\u{9b}2J'],
    ['a bidi override', 'a\u202eb', 'a\\u{202e}b'],
    ['a carriage return', 'safe\rrm', 'safe\\u{d}rm'],
  ] as const

  test.each(HOSTILE)('P9: %s in the text of the model is shown, and not obeyed', async (_, text, shown) => {
    const said = `Before ${text} after.`
    await using project = await aProject({ script: [{ text: said, calls: [command('tc_1', 'true')] }, said] })
    const { screen } = await inTerminal(project, ['-a', 'go'])
    expect(screen).toContain(shown)
    expect(screen).not.toContain(text)
  })

  test('letters and emoji of all kinds are shown as they are', async () => {
    const text = 'é ß 漢字 שלום ⚠️ 👩‍💻 𝒳'
    await using project = await aProject({ script: [text] })
    expect((await inTerminal(project, ['-a', 'go'])).screen).toContain(text)
  })
})
