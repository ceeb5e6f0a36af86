/** What a person sees and types at a terminal. */
import { describe, expect, test } from 'vitest'
import { aProject, CLI, command, effect, type Project } from '../project.ts'
import { HAS_TERMINAL, inTerminal, masked } from './pseudo-terminal.ts'

const ONE = { text: 'I will do it.', calls: [effect('tc_1', 'one')] }
const SAYS_PROMPT = { tools: { run_command: 'prompt' } }
const WHAT = 'y, n, edit or later? '
const WAYS = `tc_1  Run echo one >> effects.log:
  y      it runs as shown
  n WHY  it does not run, and the agent is told why
  edit   it runs with arguments that you change in your editor
  later  nothing is decided, and this process ends with exit 10
`

// A pseudo terminal comes from script(1) of util-linux.
describe.skipIf(!HAS_TERMINAL)('in a terminal', () => {
  test.each([80, 120])(
    'P1: a pause asks right there at %d columns, and the call runs once it is approved',
    async columns => {
      await using project = await aProject({ script: [ONE, 'Done.'], policy: SAYS_PROMPT })
      const { exit, screen } = await inTerminal(project, ['go on'], { columns, keys: [[WHAT, 'y\r']] })
      expect([exit, await project.effects()]).toEqual([0, ['one']])
      expect(masked(screen)).toBe(`I will do it.

? run_command  echo one >> effects.log · waits (approval)${columns === 80 ? '' : ': tools.run_command: prompt'}

Paused: tool calls wait for approval.

tc_1  Run echo one >> effects.log  (needs approval)
    runs            policy  because
    echo one        prompt  tools.run_command: prompt
    >> effects.log          this file is written

${WAYS}${WHAT}y
✓ run_command  echo one >> effects.log

Done.

completed · 2 steps · 0 tokens
session th_xxxxxxxxxxxxxxxx · run run_xxxxxxxxxxxxxxxx
go on: holdpoint -c cp_xxxxxxxxxxxxxxxxxxxxxxxxxx "…"
`)
      const { stdout } = await project.holdpoint('audit')
      expect(stdout).toMatch(/hold\.decided.*by ana \(cli\)/)
    },
  )

  test('the act is bold and a change is coloured in a pause, at the question, and in what is shown of it', async () => {
    const edit = { id: 'tc_1', name: 'write_file', args: { path: 'a.txt', content: 'two\n' } }
    await using project = await aProject({
      script: [{ calls: [edit] }, 'Done.'],
      policy: { default: 'prompt' },
      files: { 'a.txt': 'one\n' },
      env: { FORCE_COLOR: '1' },
    })
    const coloured = (text: string) => {
      expect(text).toContain('\u001b[31m-one\u001b[39m')
      expect(text).toContain('\u001b[32m+two\u001b[39m')
      expect(text.replaceAll('\u001b', 'ESC')).toMatch(/ESC\[1m\w+ a\.txt/)
    }
    coloured((await project.holdpoint('--pause-on-approval', 'go')).stdout)
    coloured((await project.holdpoint('show', 'tc_1')).stdout)
    const { written } = await inTerminal(project, ['go on'], { keys: [['edit or later?', 'later\r']] })
    coloured(written)
    expect(written.replaceAll('\u001b', 'ESC')).toMatch(/tc_1 {2}ESC\[1m\w+ a\.txtESC\[22m:/)
  })

  test('a no is told to the model, with its reason', async () => {
    await using project = await aProject({ script: [ONE, 'As you wish.'], policy: SAYS_PROMPT })
    const { exit } = await inTerminal(project, ['go on'], { keys: [[WHAT, 'n not on a Friday\r']] })
    expect([exit, await project.effects()]).toEqual([0, []])
    const [{ session_id }] = (await project.holdpoint('runs', '--json')).json
    expect(JSON.stringify(await project.messages(session_id))).toContain('not on a Friday')
  })

  test('P1: a call that deletes wants a whole word, and one that policy says never to the name of its thing', async () => {
    const removes = {
      calls: [{ id: 'tc_1', name: 'run_command', args: { command: 'rm -f gone.txt; echo one >> effects.log' } }],
    }
    await using project = await aProject({ script: [removes, 'Done.'], policy: SAYS_PROMPT })
    const high = 'yes, n, edit or later? '
    const { exit, screen } = await inTerminal(project, ['go on'], {
      keys: [
        [high, 'y\r'],
        [high, 'yes\r'],
      ],
    })
    expect([exit, await project.effects()]).toEqual([0, ['one']])
    expect(screen).toContain('It deletes gone.txt')
    expect(screen).toContain('"y" is none of these.')
    await using never = await aProject({ script: [ONE, 'Done.'], policy: { tools: { run_command: 'never' } } })
    const override = 'approve, n, edit or later? '
    const shown = await inTerminal(never, ['go on'], {
      keys: [
        [override, 'approve\r'],
        [override, 'approve effects.log\r'],
      ],
    })
    expect([shown.exit, await never.effects()]).toEqual([0, ['one']])
    expect(shown.screen).toContain('Type approve effects.log for that.')
  })

  test.each([
    ['the reason', 'not on a Friday\r', 0, 'TOOL_CALL_REJECTED: not on a Friday'],
    ['Enter for none', '\r', 0, 'TOOL_CALL_REJECTED'],
    ['Ctrl-C for no decision', '\u0003', 10, null],
  ] as const)('a no without a reason asks why: %s', async (_, keys, exit, told) => {
    await using project = await aProject({ script: [ONE, 'As you wish.'], policy: SAYS_PROMPT })
    const why = 'why? (Enter for none): '
    const shown = await inTerminal(project, ['go on'], {
      keys: [
        [WHAT, 'reject\r'],
        [why, keys],
      ],
    })
    expect([shown.exit, await project.effects()]).toEqual([exit, []])
    const [{ session_id }] = (await project.holdpoint('runs', '--json')).json
    const messages = JSON.stringify(await project.messages(session_id))
    expect(messages.includes(told ?? 'TOOL_CALL_REJECTED')).toBe(told !== null)
  })

  test.each(['SIGHUP', 'SIGTERM', 'SIGINT'] as const)(
    'P1: one %s at the question decides nothing and leaves it for later',
    async signal => {
      await using project = await aProject({ script: [ONE, 'Done.'], policy: SAYS_PROMPT })
      const { exit, screen } = await inTerminal(project, ['go on'], { keys: [[WHAT, { signal }]] })
      expect([exit, await project.effects()]).toEqual([10, []])
      const [{ checkpoint_id }] = (await project.holdpoint('runs', '--json')).json
      expect(screen).toContain(`holdpoint -c ${checkpoint_id} --approve tc_1`)
      expect(await project.holdpoint('-c', checkpoint_id, '--approve', 'tc_1')).toMatchObject({ exit: 0 })
    },
  )

  test('P1: Ctrl-C as soon as the ways to answer are drawn leaves it for later', async () => {
    await using project = await aProject({ script: [ONE, 'Done.'], policy: SAYS_PROMPT })
    const { exit, screen } = await inTerminal(project, ['go on'], { keys: [['this process ends', '\u0003']] })
    expect([exit, await project.effects()]).toEqual([10, []])
    expect(screen).not.toContain(WHAT)
  })

  test('P1: neither Enter alone nor an unclear word decides, and it is asked again', async () => {
    await using project = await aProject({ script: [ONE, 'Done.'], policy: SAYS_PROMPT })
    const keys = [
      [WHAT, '\r'],
      [WHAT, 'perhaps\r'],
      [WHAT, 'y\r'],
    ] as const
    const { exit, screen } = await inTerminal(project, ['go on'], { keys })
    expect([exit, await project.effects()]).toEqual([0, ['one']])
    expect(screen).toContain(
      `${WHAT.trim()}\nNothing was typed, so nothing was decided.\n${WHAT}perhaps\n"perhaps" is none of these.`,
    )
  })

  test.each([
    ['later', 'later\r'],
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('%s leaves it for later: exit 10, the calls are not shown again, and any process goes on', async (_, keys) => {
    await using project = await aProject({ script: [ONE, 'Done.'], policy: SAYS_PROMPT })
    const { exit, screen } = await inTerminal(project, ['go on'], { keys: [[WHAT, keys]] })
    expect(exit).toBe(10)
    expect(screen.split('(needs approval)')).toHaveLength(2)
    const [, checkpoint = ''] = /checkpoint +(cp_\w+)/.exec(screen) ?? []
    expect((await project.holdpoint('-c', checkpoint, '--approve', 'tc_1')).exit).toBe(0)
    expect(await project.effects()).toEqual(['one'])
  })

  test('arguments can be edited in between', async () => {
    const editor = '#!/bin/sh\nsed -i s/one/two/ "$1"\n'
    const files = { 'editor.sh': editor }
    await using project = await aProject({ script: [ONE, 'Done.'], policy: SAYS_PROMPT, files })
    const keys = [
      [WHAT, 'edit\r'],
      ['[y/N] ', 'y\r'],
    ] as const
    const { exit, screen } = await inTerminal(project, ['go on'], { keys, env: { EDITOR: 'sh editor.sh' } })
    expect([exit, await project.effects()]).toEqual([0, ['two']])
    expect(screen).toContain('✓ run_command  echo two >> effects.log')
  })

  test('P1: what was typed before the question is no answer to it', async () => {
    await using project = await aProject({ script: [ONE, 'Done.'], policy: SAYS_PROMPT })
    const keys = [
      ['Paused', 'yes\r'],
      [WHAT, 'later\r'],
    ] as const
    const { exit } = await inTerminal(project, ['go on'], { keys })
    expect([exit, await project.effects()]).toEqual([10, []])
  })

  test('P2: who was quicker elsewhere is told, and the run goes on with that', async () => {
    await using project = await aProject({ script: [ONE, 'As you wish.'], policy: SAYS_PROMPT })
    await project.write(
      'editor.sh',
      `#!/bin/sh\nHOLDPOINT_ACTOR=ben ${process.execPath} ${CLI} reject tc_1 --reason quick\n`,
    )
    const keys = [
      [WHAT, 'edit\r'],
      [WHAT, 'approve\r'],
    ] as const
    const { exit, screen } = await inTerminal(project, ['go on'], { keys, env: { EDITOR: 'sh editor.sh' } })
    expect([exit, await project.effects()]).toEqual([0, []])
    expect(screen).toContain('ben')
  })

  const ASKS = { id: 'tc_1', name: 'ask_human', args: { question: 'Where to?', choices: ['east', 'west'] } }

  test('a question of the agent is answered there, by its number too', async () => {
    await using project = await aProject({ script: [{ calls: [ASKS] }, 'Done.'] })
    const keys = [
      ['1, 2, /reject or /later? ', 'north\r'],
      ['1, 2, /reject or /later? ', '2\r'],
    ] as const
    const { exit, screen } = await inTerminal(project, ['go on'], { keys })
    expect(exit).toBe(0)
    expect(screen).toContain('  1            east\n  2            west\n  /reject WHY  ')
    expect(screen).toContain('✓ ask_human')
    expect(screen).toContain('· west\n')
  })

  test('P3: of a call in doubt each way is said with what it means', async () => {
    await using project = await aProject({
      script: [{ calls: [command('tc_1', 'kill -9 $PPID; kill -9 $$')] }, 'Done.'],
    })
    await project.holdpoint('-a', 'go')
    const [{ run_id }] = (await project.holdpoint('runs', '--json')).json
    const WORDS = 'again, happened, failed or later? '
    const keys = [
      [WORDS, 'yes\r'],
      [WORDS, 'happened it was done by hand\r'],
    ] as const
    const { exit, screen } = await inTerminal(project, ['-c', run_id], { keys })
    expect(exit).toBe(0)
    expect(screen).toContain(`
  again kill       it is run once more
  happened RESULT  it happened, and this came of it
  failed WHY       it did not happen, and the agent is told so
  later            nothing is decided, and this process ends with exit 10
`)
  })

  test.each([
    ['-a', ['-a'], 0],
    ['--no-ask', ['--no-ask'], 10],
    ['--no-ask and a pause flag', ['--no-ask', '--pause-on', 'approval'], 10],
  ] as const)('with %s nobody is asked there', async (_, flags, exit) => {
    await using project = await aProject({ script: [ONE, 'Done.'], policy: SAYS_PROMPT })
    const shown = await inTerminal(project, [...flags, 'go'])
    expect(shown.exit).toBe(exit)
    expect(shown.screen).not.toContain(WHAT)
  })

  test.each([
    ['-c', 'last'],
    ['--pause-on', 'approval', 'go'],
  ])('%s %s asks too', async (...args) => {
    await using project = await aProject({ script: [ONE, 'Done.'], policy: SAYS_PROMPT })
    if (args[0] === '-c') await project.holdpoint('--pause-on', 'approval', 'go')
    const { exit } = await inTerminal(project, args, { keys: [[WHAT, 'a\r']] })
    expect([exit, await project.effects()]).toEqual([0, ['one']])
  })

  /** Whether each look at a hold that is on record was at all of it. */
  async function looks(project: Project): Promise<boolean[]> {
    const { stdout } = await project.holdpoint('audit', '--json')
    const records = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    return records.flatMap(({ kind, data }) => (kind === 'hold.shown' ? [data.in_full] : []))
  }

  test('P9, P10: a call longer than the screen is asked about with its end, and on record as not seen in full', async () => {
    const long = command('tc_1', `echo ok${' '.repeat(9000)}; echo one >> effects.log`)
    await using project = await aProject({ script: [{ calls: [long] }, 'Done.'], policy: SAYS_PROMPT })
    const { screens } = await inTerminal(project, ['go on'], { keys: [[WHAT, 'later\r']] })
    const seen = screens[0]?.split('\n').slice(-24).join('\n')
    expect(seen).toMatch(/ {2}run_command {2}echo ok {3,}… \+8,9\d\d characters … +; echo one >> effects\.log\n/)
    expect(seen).toMatch(/Scroll up, or read it with\n {4}holdpoint show hold_\w+ \| less\n/)
    const { screen } = await inTerminal(project, ['approve'], { keys: [[WHAT, 'later\r']] })
    expect(screen).toMatch(/; echo one >> effects\.log\n {2}Not all of it is on this screen/)
    expect(new Set(await looks(project))).toEqual(new Set([false]))
  })

  test('approve without an id picks from a list, shows the one and asks about it', async () => {
    const calls = [effect('tc_1', 'one'), effect('tc_2', 'two')]
    await using project = await aProject({ script: [{ calls }, 'Done.'], policy: SAYS_PROMPT })
    await project.holdpoint('--pause-on-approval', '-o', 'json', 'go on')
    const which = 'Which one? 1 to 2, or nothing for none: '
    const none = await inTerminal(project, ['approve'], { keys: [[which, '\r']] })
    expect([none.exit, none.screen]).toEqual([10, expect.stringMatching(/^1 {2}default {2}run_command {2}echo one/m)])
    const picked = await inTerminal(project, ['approve'], {
      keys: [
        [which, '3\r'],
        [which, '2\r'],
        [WHAT, 'approve\r'],
      ],
    })
    expect(picked.screen).toContain('There is no 3 in the list.')
    const holds = (await project.holdpoint('holds', '--status', 'all', '--json')).json
    expect(holds.map(({ status }: { status: string }) => status)).toEqual(['open', 'decided'])
  })

  test('P10: of many short calls each is on record as seen in full, for its question repeats it', async () => {
    const calls = ['one', 'two', 'three', 'four', 'five', 'six'].map((word, n) => effect(`tc_${n}`, word))
    await using project = await aProject({ script: [{ calls }, 'Done.'], policy: SAYS_PROMPT })
    const { exit } = await inTerminal(project, ['go on'], { keys: calls.map(() => [WHAT, 'a\r']) })
    expect([exit, new Set(await looks(project))]).toEqual([0, new Set([true])])
  })

  test.each([
    ['y\r', 0, 'Done.'],
    ['\r', 2, '"frobnicate" is no command of holdpoint. Nothing was run.'],
  ] as const)(
    'a word far from every command is asked about before it starts an agent: %j',
    async (keys, exit, says) => {
      await using project = await aProject({ script: ['Done.'] })
      const asks = 'There is no command frobnicate. Send it to an agent as a prompt? [y/N] '
      const shown = await inTerminal(project, ['frobnicate'], { keys: [[asks, keys]] })
      expect(shown.exit).toBe(exit)
      expect(shown.screen).toContain(says)
      expect(project.exists('.holdpoint')).toBe(exit === 0)
    },
  )

  test.each([[['--', 'frobnicate']], [['-q', 'frobnicate']], [['修复构建']]])('%j is a prompt', async words => {
    await using project = await aProject({ script: ['Done.'] })
    const { exit, screen } = await inTerminal(project, words)
    expect([exit, screen.includes('Done.')]).toEqual([0, true])
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
