/** Each slash command of the chat, as a person types it. */
import { describe, expect, test } from 'vitest'
import { aProject, effect, type Project } from '../project.ts'
import { aChat, type ChatTerminal } from './chat-terminal.ts'
import { HAS_TERMINAL } from './pseudo-terminal.ts'

const ASKS = { tools: { run_command: 'prompt' } }
const ONE = { text: 'I will do it.', calls: [effect('tc_1', 'one')] }
const ENTER = '\r'
/** Clears the line that is typed. */
const CLEAR = '\u0015'
/** The smallest PNG. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Types a line, and waits for what it brings. */
async function says(chat: ChatTerminal, line: string, shown: string | RegExp): Promise<void> {
  chat.type(`${line}${ENTER}`)
  await chat.shows(shown)
}

async function recorded(project: Project): Promise<string> {
  const [run] = (await project.holdpoint('runs', '--json')).json
  return JSON.stringify(await project.messages(run.session_id))
}

describe.skipIf(!HAS_TERMINAL)('slash commands', () => {
  test('a session in which nothing is said leaves no store behind, whatever is looked up in it', async () => {
    await using project = await aProject({ script: ['Hello.'], policy: ASKS })
    await using chat = await aChat(project)
    await chat.shows('ready')
    await says(chat, '/runs', 'nothing was run here yet')
    await says(chat, `${CLEAR}/fork`, 'Nothing was said in this session yet')
    await says(chat, `${CLEAR}/cancel`, 'nothing to cancel')
    await says(chat, `${CLEAR}/copy`, 'There is no answer yet.')
    await says(chat, `${CLEAR}/policy check echo one`, 'in this session  you are asked')
    chat.type(`/leave${ENTER}`)
    expect(await chat.over()).toBe(0)
    expect(project.exists('.holdpoint/holdpoint.db')).toBe(false)
  })

  test('what can be looked at is shown as on the command line, and of an unknown name the nearest', async () => {
    await using project = await aProject({ script: [ONE, 'Done.'], policy: ASKS })
    await using chat = await aChat(project, { rows: 40 })
    await says(chat, 'go', 'Tab to decide')
    await says(chat, '/holds', /HOLD +KIND/)
    await says(chat, '/runs', /RUN +STATUS/)
    await says(chat, '/threads', /SESSION|THREAD/)
    await says(chat, '/tasks', 'No tasks')
    await says(chat, '/audit', /asks whether it may do “Run /)
    await says(chat, '/grants', 'Nothing is always allowed')
    await says(chat, '/model', /^ {2}script:/m)
    await says(chat, '/help', 'Ctrl+C clears the draft')
    await says(chat, '/policy check rm -rf "a b"', 'in this session  you are asked')
    await says(chat, '/policy check --tool nothing --arguments {}', 'default has no tool "nothing"')
    await says(chat, `${CLEAR}/policy check`, 'Usage: /policy check COMMAND')
    await says(chat, `${CLEAR}/show "tc_1`, 'Close the quote')
    await says(chat, `${CLEAR}/hodls`, 'There is no command /hodls. Did you mean /holds?')
    await chat.shows('› /hodls')
    expect(await project.effects()).toEqual([])
  })

  test('/edit lets a call run with other arguments, and /always lets the same pass from then on', async () => {
    const again = { calls: [effect('tc_2', 'two'), effect('tc_3', 'three')] }
    const third = { calls: [effect('tc_4', 'two')] }
    await using project = await aProject({
      script: [ONE, 'First.', again, 'Second.', third, 'Third.'],
      policy: ASKS,
      files: { 'editor.sh': '#!/bin/sh\nsed -i s/one/other/ "$1"\n' },
      env: { EDITOR: 'sh editor.sh' },
    })
    await using chat = await aChat(project)
    await says(chat, 'go', 'Tab to decide')
    await says(chat, '/edit', 'Let the call run with these arguments?')
    await says(chat, 'y', 'First.')
    expect(chat.screen()).toMatch(/by you: \{"command":"echo other >>\n {2}effects.log"\}\n/)
    expect(await project.effects()).toEqual(['other'])
    await says(chat, 'again', '2 wait')
    await says(chat, '/always tc_2', 'The grant has no name')
    await says(chat, `${CLEAR}/always tc_2 my second`, 'tc_2 approved by you')
    await says(chat, '/deny tc_3 no third', 'Second.')
    await says(chat, '/policy check echo two >> effects.log', /ana always allows it \(my second,\s+grant_/)
    await says(chat, 'and again', 'Third.')
    expect(await project.effects()).toEqual(['other', 'two', 'two'])
    await says(chat, '/grants', 'my second')
  })

  test('a message can wait for its turn, take the place of a call, or stop the run first', async () => {
    const script = [ONE, 'Instead.', ONE, 'After it.', { text: 'Quick.', delay_ms: 5_000 }]
    await using project = await aProject({ script, policy: ASKS })
    await using chat = await aChat(project)
    await says(chat, 'go', 'Tab to decide')
    await says(chat, '/now', 'The message is empty')
    await says(chat, `${CLEAR}/now do something else`, 'Instead.')
    await says(chat, 'go again', 'Tab to decide')
    await says(chat, '/queue and then this', 'queued: and then this')
    await says(chat, '/approve', 'After it.')
    await chat.shows('› and then this')
    expect(await project.effects()).toEqual(['one'])
    await says(chat, 'be slow', 'running 00:')
    await says(chat, '/interrupt be quick', 'Quick.')
    await says(chat, '/go', 'Nothing is stopped here')
    chat.type(CLEAR)
    await says(chat, '/copy', '· copied')
    expect(chat.written).toContain(`\u001b]52;c;${Buffer.from('Quick.').toString('base64')}\u0007`)
  })

  test('/go goes on with what was stopped, and /cancel ends it for good', async () => {
    const slow = { text: 'Slow.', delay_ms: 60_000 }
    await using project = await aProject({ script: [slow, slow] })
    await using chat = await aChat(project)
    await says(chat, 'go', 'running 00:')
    chat.type('\u0003')
    await chat.shows('stopped: a message or /go goes on')
    await says(chat, '/go', 'running 00:')
    await says(chat, '/cancel not needed', /! .*cancel/)
    const [run] = (await project.holdpoint('runs', '--json')).json
    expect(run).toMatchObject({ status: 'done', termination: { type: 'cancelled' } })
  })

  test('/answer takes the id of a question, and a second chat decides and writes too', async () => {
    const asks = (id: string) => ({
      id,
      name: 'ask_human',
      args: { question: `Which ${id}?`, choices: ['east', 'west'] },
    })
    await using project = await aProject({
      script: [{ calls: [asks('tc_1'), asks('tc_2')] }, 'So be it.', ONE, 'Done.'],
      policy: ASKS,
    })
    await using chat = await aChat(project)
    await says(chat, 'go', '2 wait')
    await says(chat, '/answer north', '2 wait, so it is not clear which one is meant')
    await says(chat, `${CLEAR}/answer tc_2 2`, 'tc_2 answered by you: west')
    await says(chat, '/answer north', '"north" is not among the choices')
    await says(chat, `${CLEAR}/answer 1`, 'So be it.')
    await using second = await aChat(project, { args: ['-c', 'last'] })
    await second.shows('So be it.')
    await says(second, 'do it', 'Tab to decide')
    await chat.shows('Tab to decide')
    await says(chat, '/approve', 'Done.')
    await second.shows('Done.')
    expect(await project.effects()).toEqual(['one'])
    expect(await recorded(project)).toContain('east')
  })

  test('/model asks another model from the next message on, and one that cannot be used changes nothing', async () => {
    await using project = await aProject({
      script: ['From the first.', 'From the first again.'],
      files: { 'second.json': JSON.stringify(['no', 'From the second.', 'From the second again.']) },
    })
    await using chat = await aChat(project)
    await says(chat, 'one', 'From the first.')
    await says(chat, '/model script:none.json', 'none.json')
    await says(chat, `${CLEAR}/model script:second.json`, /the next message goes to script:.*second\.json/)
    await says(chat, 'two', 'From the second.')
    await says(chat, 'three', 'From the second again.')
    const { json } = await project.holdpoint('runs', '--json')
    expect(json).toHaveLength(3)
  })

  test('a session that goes on takes the settings that the flags change', async () => {
    await using project = await aProject({
      script: [ONE, 'Done.'],
      policy: ASKS,
      files: { 'second.json': JSON.stringify([ONE, 'From the second.']) },
    })
    await project.holdpoint('--pause-on-approval', 'go')
    await using chat = await aChat(project, { args: ['-c', 'last', '--model', 'script:second.json'] })
    await chat.shows('1 waits')
    await says(chat, '/model', 'second.json')
    await says(chat, '/approve', 'From the second.')
    expect(await project.effects()).toEqual(['one'])
  })

  test('an image that is named by its path goes along, and one that is not there keeps the draft', async () => {
    await using project = await aProject({ script: ['A pixel.'] })
    await project.write('shot.png', Buffer.from(PIXEL, 'base64').toString('latin1'))
    await using chat = await aChat(project)
    await says(chat, 'see @none.png', 'none.png cannot go along')
    await chat.shows('› see @none.png')
    await says(chat, `${CLEAR}see @shot.png`, 'A pixel.')
    expect(await recorded(project)).toContain('image/png')
  })

  test('P1: inside a command of an agent the chat decides nothing', async () => {
    await using project = await aProject({ script: [ONE, 'Done.'], policy: ASKS })
    await project.holdpoint('--pause-on-approval', 'go')
    await using chat = await aChat(project, {
      args: ['-c', 'last'],
      env: { HOLDPOINT_WITHIN: 'agent:default/run_1' },
    })
    await chat.shows('Tab to decide')
    await says(chat, '/approve', /agent/)
    await chat.press(CLEAR, '\t', 'a', 'r', 'u', 'n')
    await chat.shows('agent:default')
    expect(await project.effects()).toEqual([])
    expect((await project.holdpoint('holds', '--json')).json).toHaveLength(1)
  })

  test('what nobody decides in time is decided by its deadline, without a worker', async () => {
    await using project = await aProject({
      script: [ONE, 'As you wish.'],
      policy: ASKS,
      config: { due: { seconds: 1, on_due: 'reject' } },
    })
    await using chat = await aChat(project)
    await says(chat, 'go', 'Tab to decide')
    await chat.shows('As you wish.')
    expect(await project.effects()).toEqual([])
  })
})
