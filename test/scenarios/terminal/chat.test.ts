/** The stories of `holdpoint chat`, in a pseudo terminal with a real emulator. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { aProject, effect } from '../project.ts'
import { aChat } from './chat-terminal.ts'
import { HAS_TERMINAL, inTerminal } from './pseudo-terminal.ts'

const ASKS = { tools: { run_command: 'prompt' } }
const ONE = { text: 'I will do it.', calls: [effect('tc_1', 'one')] }
const DELETES = { id: 'tc_2', name: 'run_command', args: { command: 'rm -f gone.txt; echo two >> effects.log' } }
const TAB = '\t'
const ENTER = '\r'

describe.skipIf(!HAS_TERMINAL)('a chat', () => {
  test('a message is answered, and the session goes on later where it was left', async () => {
    await using project = await aProject({ script: ['Hello **Ana**.', 'Again.'] })
    await using chat = await aChat(project)
    chat.type(`hi there${ENTER}`)
    await chat.shows('Hello Ana.')
    await chat.shows('ready')
    chat.type('\u0004')
    expect(await chat.over()).toBe(0)
    const [, session = ''] = /holdpoint chat (th_\w+)/.exec(chat.screen()) ?? []
    await using later = await aChat(project, { args: [session] })
    await later.shows('› hi there')
    await later.shows('Hello Ana.')
    later.type(`and now${ENTER}`)
    await later.shows('Again.')
    expect((await project.messages(session)).filter(({ role }) => role === 'user')).toHaveLength(2)
  })

  test('P1: Tab and a let an ordinary call run, one that deletes wants a word, and Enter never decides', async () => {
    await using project = await aProject({ script: [ONE, { calls: [DELETES] }, 'Done.'], policy: ASKS })
    await using chat = await aChat(project)
    chat.type(`go${ENTER}`)
    await chat.shows('Tab to decide')
    await chat.press(TAB, ENTER, ' ', ENTER)
    expect(await project.effects()).toEqual([])
    await chat.press('a')
    await chat.shows('It deletes gone.txt')
    expect(await project.effects()).toEqual(['one'])
    await chat.press(TAB, 'a')
    await chat.shows('Type yes to let it run')
    await chat.press('y', 'e', 's')
    await chat.shows('Done.')
    expect(await project.effects()).toEqual(['one', 'two'])
    expect(chat.screen()).toContain('tc_1 approved by you')
    const { stdout } = await project.holdpoint('audit')
    expect(stdout).toMatch(/hold\.decided.*by ana \(terminal\)/)
  })

  test('P1: typing while ten holds open decides nothing, and the draft is exact to the character', async () => {
    const calls = Array.from({ length: 10 }, (_, n) => effect(`tc_${n}`, `${n}`))
    await using project = await aProject({ script: [{ calls, delay_ms: 400 }, 'Done.'], policy: ASKS })
    await using chat = await aChat(project)
    chat.type(`go${ENTER}`)
    const draft = 'aaa rrr eee run A approve yes y n a r e A all of it'
    for (const key of draft) {
      chat.type(key)
      await sleep(1000 / 15)
    }
    await chat.shows('10 wait')
    await chat.shows(`› ${draft}`)
    expect((await project.holdpoint('holds', '--json')).json).toHaveLength(10)
    expect(await project.effects()).toEqual([])
  })

  test('P1: a paste with letters, line ends and escapes is text, also at the bar', async () => {
    await using project = await aProject({ script: [ONE, 'Done.'], policy: ASKS })
    await using chat = await aChat(project)
    chat.type(`go${ENTER}`)
    await chat.shows('Tab to decide')
    await chat.press(TAB)
    await chat.press('\u001b[200~a\rrun\u001ba\r/approve all\r\u001b[201~')
    await chat.shows('› a')
    await chat.shows('/approve all')
    expect((await project.holdpoint('holds', '--json')).json).toHaveLength(1)
    expect(await project.effects()).toEqual([])
  })

  test('lines that a terminal without bracketed paste sends at once are one draft', async () => {
    await using project = await aProject({ script: ['Read.'] })
    await using chat = await aChat(project)
    chat.type('first line\rsecond line\rthird')
    await chat.shows('third')
    expect(chat.screen()).not.toContain('Read.')
    chat.type(ENTER)
    await chat.shows('Read.')
    const [run] = (await project.holdpoint('runs', '--json')).json
    const [first] = await project.messages(run.session_id)
    expect(first).toMatchObject({ content: 'first line\nsecond line\nthird' })
  })

  test('P2: what was decided elsewhere is told, and the next key at the bar decides nothing', async () => {
    const two = { calls: [effect('tc_1', 'one'), effect('tc_2', 'two')] }
    await using project = await aProject({ script: [two, 'Done.'], policy: ASKS })
    await using chat = await aChat(project)
    chat.type(`go${ENTER}`)
    await chat.shows('2 wait')
    chat.type('my draft')
    await chat.press(TAB)
    const decided = await project.run(['approve', 'tc_1'], { env: { HOLDPOINT_ACTOR: 'ben' } })
    expect(decided.exit).toBe(0)
    await chat.shows(/tc_1 approved by ben on cli, \d\d:\d\d/)
    await chat.press('a')
    await chat.shows('my drafta')
    expect((await project.holdpoint('holds', '--json')).json).toHaveLength(1)
    expect(await project.effects()).toEqual(['one'])
  })

  test('P9: a call whose end was not in view is not approved: the key scrolls on instead', async () => {
    const lines = Array.from({ length: 60 }, (_, n) => `echo line ${n} > /dev/null`).join('\n')
    const long = { id: 'tc_1', name: 'run_command', args: { command: `${lines}\necho long >> effects.log` } }
    await using project = await aProject({ script: [{ calls: [long] }, 'Done.'], policy: ASKS })
    await using chat = await aChat(project)
    chat.type(`go${ENTER}`)
    await chat.shows('Tab to decide')
    await chat.press(TAB, 'a')
    await chat.shows('Not all of it was on the screen')
    expect(await project.effects()).toEqual([])
    while (!chat.screen().includes('a approve')) await chat.press('\u001b[6~')
    await chat.press('a', 'r', 'u', 'n')
    await chat.shows('Done.')
    expect(await project.effects()).toEqual(['long'])
  })

  test('an answer is a message: a number stands for a choice', async () => {
    const asks = {
      calls: [
        {
          id: 'tc_1',
          name: 'ask_human',
          args: { question: 'Which region?', choices: ['east', 'west', 'north', 'south', 'none'] },
        },
      ],
    }
    await using project = await aProject({ script: [asks, 'So be it.'] })
    await using chat = await aChat(project)
    chat.type(`go${ENTER}`)
    await chat.shows('answer ›')
    expect(chat.screen()).toMatch(/2 {2}west[\s\S]*5 {2}none/)
    await sleep(50)
    chat.type(`2${ENTER}`)
    await chat.shows('So be it.')
    const [run] = (await project.holdpoint('runs', '--json')).json
    expect(JSON.stringify(await project.messages(run.session_id))).toContain('west')
  })

  test('slash commands decide by name, and an unknown one keeps the draft', async () => {
    const two = { calls: [effect('tc_1', 'one'), effect('tc_2', 'two')] }
    await using project = await aProject({ script: [two, 'Done.'], policy: ASKS })
    await using chat = await aChat(project)
    chat.type(`go${ENTER}`)
    await chat.shows('2 wait')
    chat.type(`/aprove tc_1${ENTER}`)
    await chat.shows('There is no command /aprove. Did you mean /approve?')
    await chat.shows('› /aprove tc_1')
    chat.type(`\u0015/approve tc_1${ENTER}`)
    await chat.shows('tc_1 approved by you')
    chat.type(`/deny tc_2 not on a Friday${ENTER}`)
    await chat.shows('tc_2 rejected by you (not on a Friday)')
    await chat.shows('Done.')
    expect(await project.effects()).toEqual(['one'])
    chat.type(`/approve tc_2${ENTER}`)
    await chat.shows('ana already chose reject')
  })

  test('Ctrl+C clears the draft, then stops the run, then leaves, and the terminal is as it was', async () => {
    await using project = await aProject({ script: [{ text: 'Slow.', delay_ms: 60_000 }] })
    await using chat = await aChat(project)
    chat.type(`go${ENTER}`)
    await chat.shows('running 00:')
    chat.type('never mind')
    await chat.shows('› never mind')
    chat.type('\u0003')
    await chat.shows('never mind', false)
    chat.type('\u0003')
    await chat.shows('stopped: a message or /go goes on')
    chat.type('\u0003')
    await chat.shows('Go on with: holdpoint chat th_')
    expect(await chat.over()).toBe(0)
    expect(chat.written.lastIndexOf('\u001b[?2004l')).toBeGreaterThan(chat.written.lastIndexOf('\u001b[?2004h'))
    const [run] = (await project.holdpoint('runs', '--json')).json
    expect(run).toMatchObject({ status: 'running' })
  })

  test('without a terminal it says what to do instead', async () => {
    await using project = await aProject({ script: ['Hello.'] })
    const { exit, stderr } = await project.holdpoint('chat')
    expect(exit).toBe(2)
    expect(stderr).toContain('A chat needs a terminal')
    expect(project.exists('.holdpoint/holdpoint.db')).toBe(false)
  })

  test('an unusable model is refused before anything begins, and the terminal is as it was', async () => {
    await using project = await aProject()
    const { exit, screen } = await inTerminal(project, ['chat', '--model', 'script:none.json'])
    expect(exit).toBe(2)
    expect(screen).toContain('none.json')
    expect(project.exists('.holdpoint/holdpoint.db')).toBe(false)
  })
})
