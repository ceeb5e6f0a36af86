/** The menu of commands, and what a chat says of its own session: its plan, its cost, its context, and a new one. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { aProject, effect } from '../project.ts'
import { aChat, type ChatTerminal } from './chat-terminal.ts'
import { HAS_TERMINAL } from './pseudo-terminal.ts'

const ASKS = { default: 'prompt' }
const ENTER = '\r'
const ESCAPE = '\u001b'
const DOWN = '\u001b[B'
const CLEAR = '\u0015'
const PLAN = [
  { step: 'read the prices', state: 'done' },
  { step: 'change them', state: 'in_progress' },
  { step: 'tell ana', state: 'pending' },
]
const PLANS = { calls: [{ id: 'tc_1', name: 'plan', args: { steps: PLAN } }] }

async function says(chat: ChatTerminal, line: string, shown: string | RegExp): Promise<void> {
  chat.type(`${line}${ENTER}`)
  await chat.shows(shown)
}

describe.skipIf(!HAS_TERMINAL)('a chat', () => {
  test('a slash opens a menu that is filtered while one types, and half a word runs nothing', async () => {
    await using project = await aProject({ script: [{ calls: [effect('tc_1', 'one')] }, 'Done.'], policy: ASKS })
    await using chat = await aChat(project)
    await says(chat, 'go', 'Tab to decide')
    chat.type('/')
    await chat.shows('▸ /approve [ID…|all]')
    chat.type('a')
    await chat.shows('1 of 5')
    chat.type('p')
    await chat.shows('1 of 1')
    chat.type(ENTER)
    await chat.shows('› /approve')
    await sleep(300)
    expect(await project.effects()).toEqual([])
    await says(chat, '', 'Done.')
    expect(await project.effects()).toEqual(['one'])
  })

  test('the menu is moved through with the arrows, Tab takes a command, and Escape closes it', async () => {
    await using project = await aProject({ script: ['Hello.'] })
    await using chat = await aChat(project)
    await chat.shows('ready')
    await chat.press('/h', DOWN)
    await chat.shows('▸ /help')
    await chat.press('\t')
    await chat.shows('› /help')
    await says(chat, '', 'Ctrl+C clears the draft')
    await chat.press('/m')
    await chat.shows('▸ /model')
    await chat.press(ESCAPE)
    await chat.shows('▸ /model', false)
    await chat.press('o', ENTER)
    await chat.shows('There is no command /mo.')
    await chat.press(CLEAR, '/quit')
    await chat.shows('▸ /leave')
    chat.type(ENTER)
    expect(await chat.over()).toBe(0)
  })

  test('what was sent before is called back through the menu', async () => {
    await using project = await aProject({ script: ['Hello.', 'Again.'] })
    await using chat = await aChat(project)
    await says(chat, 'first', 'Hello.')
    await says(chat, '/runs', /RUN +STATUS/)
    await chat.press('\u001b[A')
    await chat.shows('› /runs')
    await chat.press('\u001b[A')
    await chat.shows('› first')
  })

  test('the plan of the agent runs unasked, is shown, and is there later and elsewhere', async () => {
    await using project = await aProject({
      script: [PLANS, { text: 'I wait.', calls: [effect('tc_2', 'one')] }, 'Done.'],
      policy: ASKS,
    })
    await using chat = await aChat(project)
    await says(chat, 'go', 'Tab to decide')
    const screen = chat.screen()
    expect(screen).toContain('✓ plan  1 of 3 done, now: change them')
    expect(screen).toMatch(/ {4}✓ read the prices\n {4}▸ change them\n {4}· tell ana\n/)
    await says(chat, '/plan', /Plan: 1 of 3 done/)
    const [run] = (await project.holdpoint('runs', '--json')).json
    expect((await project.holdpoint('show', run.run_id, '--json')).json.plan).toEqual(PLAN)
    const { stdout } = await project.holdpoint('show', run.run_id)
    expect(stdout).toContain('Plan, 1 of 3 done:\n  ✓ read the prices\n  ▸ change them\n  · tell ana\n')
    await using later = await aChat(project, { args: ['-c', 'last'] })
    await says(later, '/plan', /Plan: 1 of 3 done/)
  })

  test('a chat without a plan says so', async () => {
    await using project = await aProject({ script: ['Hello.'] })
    await using chat = await aChat(project)
    await says(chat, '/plan', 'The agent has written no plan.')
  })

  test('tokens and money are those of the session, in the status line, in /cost, and when it goes on', async () => {
    const script = [
      { text: 'One.', usage: { input: 1_000_000, output: 100_000 } },
      { text: 'Two.', usage: { input: 500_000, output: 0 } },
      { text: 'Three.', usage: { input: 0, output: 0 } },
    ]
    await using project = await aProject({ script, config: { prices: { 'script:*': { input: 2, output: 10 } } } })
    await using chat = await aChat(project, { columns: 120 })
    await says(chat, '/cost', 'No model was asked in this session yet')
    await says(chat, `${CLEAR}one`, '1100.0k tokens · $3.00')
    await says(chat, 'two', '1600.0k tokens · $4.00')
    await says(chat, '/cost', 'In all 1,600,000 tokens, $4.00.')
    expect(chat.screen()).toMatch(/script:\S+ +2 +1,500,000 +100,000 +0 +\$4\.00/)
    await says(chat, '/context', 'The last request had 500,000 tokens of input.')
    expect(chat.screen()).toMatch(/messages of people +2 +~\d/)
    await using later = await aChat(project, { args: ['-c', 'last'], columns: 120 })
    await later.shows('$4.00')
  })

  test('/compact folds what was said before the next message is answered', async () => {
    await using project = await aProject({ script: ['One.'] })
    await using chat = await aChat(project)
    await says(chat, '/compact', 'Nothing was said in this session yet')
    await says(chat, `${CLEAR}one`, 'One.')
    await says(chat, '/compact the number of the port', 'asked to fold the conversation, with: the number of the port')
    await says(chat, 'two', 'Earlier conversation folded, as')
    await says(chat, '/context', 'instructions')
    expect(chat.screen()).toMatch(/messages of people +2 +~\d/)
    expect(chat.screen()).toMatch(/answers and calls +1 +~\d/)
  })

  test('without prices /cost says how they are set', async () => {
    await using project = await aProject({ script: [{ text: 'One.', usage: { input: 10, output: 1 } }] })
    await using chat = await aChat(project)
    await says(chat, 'one', '11 tokens')
    await says(chat, '/cost', 'Prices are set as `prices` in the settings')
  })

  test('/clear begins a new session with nothing of the old one, and says how to come back', async () => {
    await using project = await aProject({
      script: [{ calls: [effect('tc_1', 'one')], usage: { input: 10, output: 1 } }, 'Done.', 'New.'],
      policy: ASKS,
    })
    await using chat = await aChat(project)
    await says(chat, '/clear', 'Nothing was said in this session yet')
    await says(chat, `${CLEAR}go`, 'Tab to decide')
    await says(chat, '/clear', 'a new session')
    const [, session] = /Go on with: holdpoint chat (th_\w+)/.exec(await chat.shows('Go on with:')) ?? []
    await chat.shows('1 waits, there and in: holdpoint holds')
    await chat.shows('Tab to decide', false)
    expect(chat.screen().split('\n').at(-3)).not.toContain('tokens')
    await says(chat, 'hello', 'Tab to decide')
    const sessions = (await project.holdpoint('threads', 'list', '--json')).json
    expect(sessions).toHaveLength(2)
    expect(sessions.map(({ session_id }: { session_id: string }) => session_id)).toContain(session)
    expect((await project.holdpoint('holds', '--json')).json).toHaveLength(2)
  })

  test('a chat rings when something waits, if it is set to', async () => {
    const script = [{ calls: [effect('tc_1', 'one')] }, 'Done.']
    await using quiet = await aProject({ script, policy: ASKS })
    await using silent = await aChat(quiet)
    await says(silent, 'go', 'Tab to decide')
    expect(silent.written).not.toContain('\u0007')
    await using project = await aProject({ script, policy: ASKS, config: { bell: true } })
    await using chat = await aChat(project)
    await says(chat, 'go', 'Tab to decide')
    expect(chat.written.split('\u0007')).toHaveLength(2)
  })
})
