/** What a person does at an attached chat beside writing: decide at its bar, steer, and use a terminal that changes or hangs. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { agents } from '../agents/agents.ts'
import { rowsOf } from '../agents/fleet-rows.ts'
import { aProject, command, effect, type Project, type ProjectOptions } from '../project.ts'
import { attached, type ChatTerminal } from './chat-terminal.ts'
import { HAS_TERMINAL } from './pseudo-terminal.ts'

const ENTER = '\r'
const TAB = '\t'
const CTRL_C = '\u0003'
/** Clears the line that is typed. */
const CLEAR = '\u0015'
const ONE = { text: 'I am about to apply.', calls: [effect('tc_1', 'one')] }
const DELETES = { id: 'tc_2', name: 'run_command', args: { command: 'rm -f gone.txt; echo two >> effects.log' } }

async function aWaitingAgent(options: ProjectOptions): Promise<Project> {
  const project = await aProject({ policy: { tools: { run_command: 'prompt' } }, ...options })
  await agents(project, 'spawn', '--name', 'docs', '--interactive', 'deploy')
  await stands(project, { run: 'waiting', asks: true })
  return project
}

/** As its rows tell. */
function stands(project: Project, rows: { readonly run: string; readonly asks: boolean }): Promise<void> {
  return expect.poll(() => rowsOf(project)).toMatchObject(rows)
}

/** Whatever is typed already. */
async function end(chat: ChatTerminal): Promise<void> {
  chat.type(`${CLEAR}/end${ENTER}`)
  expect(await chat.over()).toBe(0)
}

describe.skipIf(!HAS_TERMINAL)('at an attached chat', () => {
  test('P1: the bar decides by its letters, and e lets the call run with other arguments', async () => {
    await using project = await aWaitingAgent({
      script: [ONE, { calls: [DELETES] }, 'Done.'],
      files: { 'editor.sh': '#!/bin/sh\nsed -i s/one/other/ "$1"\n' },
      env: { EDITOR: 'sh editor.sh' },
    })
    await using chat = await attached(project, 'ana')
    await chat.shows('Tab to decide')
    chat.type(`/policy check echo hello${ENTER}`)
    await chat.shows('in this session  you are asked')
    await chat.press(TAB, 'e')
    await chat.shows('Let the call run with these arguments?')
    chat.type(`y${ENTER}`)
    await chat.shows('tc_1 approved with other arguments by you')
    await chat.shows('echo two >> effects.log')
    await chat.press(TAB, 'a')
    await chat.shows('Type yes to let it run')
    await chat.press('x', ENTER)
    await chat.shows('Nothing was decided: that is not yes.')
    await chat.press('y', 'e', 's')
    await chat.shows('Done.')
    expect(await project.effects()).toEqual(['other', 'two'])
    await end(chat)
  })

  test('/now says something in the place of a call, and /interrupt stops what runs and says it', async () => {
    const slow = command('tc_2', 'echo begun >> effects.log; sleep 60; echo over >> effects.log')
    await using project = await aWaitingAgent({
      script: [ONE, { text: 'Instead.', calls: [slow] }, 'As you wish.', 'The last.'],
    })
    await using chat = await attached(project, 'ana')
    await chat.shows('Tab to decide')
    chat.type(`/now do something else${ENTER}`)
    await chat.shows('Instead.')
    await chat.shows('sleep 60')
    chat.type(`/approve tc_2${ENTER}`)
    await expect.poll(() => project.effects()).toEqual(['begun'])
    chat.type(CTRL_C)
    await chat.shows('It goes on. /interrupt TEXT stops it and says that.')
    chat.type(`/interrupt be quick${ENTER}`)
    await chat.shows('› be quick')
    await chat.shows('As you wish.')
    expect(await project.effects()).toEqual(['begun'])
    expect(chat.screen().match(/› (do something else|be quick)/g)).toHaveLength(2)
    await end(chat)
  })

  test('changes of size, with an open bar and while text with wide characters streams, leave nothing behind', async () => {
    const lines = Array.from({ length: 60 }, (_, n) => `line ${n} 日本語 👩‍👩‍👧 ${'x'.repeat(n % 20)} end${n}.`)
    await using project = await aWaitingAgent({ script: [ONE, { text: lines.join('\n'), delay_ms: 300 }] })
    await using chat = await attached(project, 'ana')
    await chat.shows('Tab to decide')
    chat.type('尺寸 draft')
    await chat.shows('› 尺寸 draft')
    const sizes = [
      [80, 24],
      [60, 20],
      [100, 30],
      [72, 24],
    ] as const
    const resize = async (from: number, to: number) => {
      for (let n = from; n < to; n += 1) {
        const [columns, rows] = sizes[n % sizes.length] ?? [80, 24]
        chat.resize(columns, rows)
        if (n % 4 === 0) await sleep(10)
      }
    }
    await resize(0, 40)
    await project.holdpoint('approve', 'tc_1')
    await chat.shows('line 1 ')
    await resize(40, 80)
    chat.resize(80, 24)
    await chat.shows('end59.')
    await chat.shows('· idle ─')
    const screen = chat.screen()
    for (let n = 0; n < lines.length; n += 1) expect(screen.split(`end${n}.`)).toHaveLength(2)
    const count = (text: string) => chat.screen().split(text).length - 1
    await expect
      .poll(() => [count('1 waits'), count('Tab to decide'), count('› 尺寸 draft'), count('─ docs')])
      .toEqual([0, 0, 1, 1])
    await end(chat)
  })

  test('E2: a terminal that hangs delays no agent, and shows all that happened once it is read again', async () => {
    const lines = Array.from({ length: 3_000 }, (_, n) => `line ${n} ${'x'.repeat(80)}`)
    // In pieces and in events more than may wait for one client. Such arguments are refused.
    const args = { command: 'true', note: 'x'.repeat(700_000) }
    const long = Array.from({ length: 6 }, (_, n) => ({ calls: [{ id: `tc_${n + 2}`, name: 'run_command', args }] }))
    const asks = { calls: [{ id: 'tc_1', name: 'ask_human', args: { question: 'Now?' } }] }
    await using project = await aWaitingAgent({
      script: [asks, { text: lines.join('\n'), ...long[0] }, ...long.slice(1), 'All is said.'],
      policy: { default: 'auto' },
    })
    await using chat = await attached(project, 'ana')
    await chat.shows('Now?')
    chat.stopReading()
    expect((await project.holdpoint('answer', 'tc_1', 'yes')).exit).toBe(0)
    await stands(project, { run: 'waiting', asks: false })
    expect(chat.screen()).not.toContain('line 2999 ')
    chat.readOn()
    await chat.shows('All is said.')
    await chat.shows('· idle ─')
    const screen = chat.screen()
    const shown = [...screen.matchAll(/^line (\d+) x/gm)].map(([, number]) => Number(number))
    expect(shown).toEqual([...lines.keys()])
    await end(chat)
  })
})
