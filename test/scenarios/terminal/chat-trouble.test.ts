/** What goes wrong around a chat: sizes, signals, other processes, terminals that cannot draw. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { aProject, effect } from '../project.ts'
import { aChat } from './chat-terminal.ts'
import { HAS_TERMINAL } from './pseudo-terminal.ts'

const ASKS = { tools: { run_command: 'prompt' } }
const ENTER = '\r'

describe.skipIf(!HAS_TERMINAL)('a chat in trouble', () => {
  test('200 changes of size while text with wide characters streams leave nothing behind, and lose no line', async () => {
    const lines = Array.from({ length: 60 }, (_, n) => `line ${n} 日本語 👩‍👩‍👧 ${'x'.repeat(n % 20)} end${n}.`)
    await using project = await aProject({ script: [{ text: lines.join('\n'), delay_ms: 300 }] })
    await using chat = await aChat(project)
    chat.type(`go${ENTER}`)
    const sizes = [
      [80, 24],
      [60, 20],
      [100, 30],
      [72, 24],
    ] as const
    for (let n = 0; n < 200; n += 1) {
      const [columns, rows] = sizes[n % sizes.length] ?? [80, 24]
      chat.resize(columns, rows)
      if (n % 4 === 0) await sleep(10)
    }
    chat.resize(80, 24)
    await chat.shows('end59.')
    const screen = await chat.shows('ready')
    for (let n = 0; n < lines.length; n += 1) expect(screen.split(`end${n}.`)).toHaveLength(2)
    await sleep(100)
    expect(
      chat
        .screen()
        .split('\n')
        .filter(row => row.startsWith('─ default')),
    ).toHaveLength(1)
  })

  test('P4: a chat that is killed leaves what waits, and the next one shows the same conversation', async () => {
    await using project = await aProject({
      script: [{ text: 'I will.', calls: [effect('tc_1', 'one')] }, 'Done.'],
      policy: ASKS,
    })
    await using chat = await aChat(project)
    chat.type(`go${ENTER}`)
    await chat.shows('Tab to decide')
    process.kill(chat.pid, 'SIGKILL')
    await chat.over()
    await using next = await aChat(project, { args: ['-c', 'last'] })
    await next.shows('› go')
    await next.shows('1 waits')
    next.type(`/approve${ENTER}`)
    await next.shows('Done.')
    expect(await project.effects()).toEqual(['one'])
  })

  test('P7: of two chats in one session one advances, and both see all of it', async () => {
    await using project = await aProject({ script: ['Hello.', { text: 'Slow.', delay_ms: 1500 }] })
    await using first = await aChat(project)
    first.type(`go${ENTER}`)
    await first.shows('ready')
    await first.shows('Hello.')
    await using second = await aChat(project, { args: ['--continue'] })
    await second.shows('Hello.')
    first.type(`and now${ENTER}`)
    await second.shows('› and now')
    await Promise.all([first.shows('Slow.'), second.shows('Slow.')])
    expect(second.screen().split('Slow.')).toHaveLength(2)
  })

  test('a terminal of 20 columns and 5 rows shows what waits, and how to decide it', async () => {
    await using project = await aProject({ script: [{ calls: [effect('tc_1', 'one')] }, 'Done.'], policy: ASKS })
    await using chat = await aChat(project, { columns: 20, rows: 5 })
    chat.type(`go${ENTER}`)
    await chat.shows('1 wait: Tab')
    await chat.press('\t')
    for (let n = 0; n < 12 && !chat.screen().includes('a approve'); n += 1) await chat.press('\u001b[B')
    await chat.press('a', 'r', 'u', 'n')
    await chat.shows('Done.')
    expect(await project.effects()).toEqual(['one'])
  })

  test('without drawing, each event is told once, each hold in full, and slash commands decide', async () => {
    await using project = await aProject({
      script: [{ text: 'I will.', calls: [effect('tc_1', 'one')] }, 'Done.'],
      policy: ASKS,
    })
    await using chat = await aChat(project, { args: ['--plain'], first: 'default with' })
    chat.type(`go${ENTER}`)
    await chat.shows('/approve tc_1')
    expect(chat.screen()).toContain('echo one >> effects.log')
    chat.type(`/approve tc_1${ENTER}`)
    await chat.shows('Done.')
    expect(chat.written).not.toContain('\u001b[?2026h')
    expect(await project.effects()).toEqual(['one'])
    chat.type(`/leave${ENTER}`)
    expect(await chat.over()).toBe(0)
  })

  test('lines that are pasted into a chat without drawing are one message, and typed ones are one each', async () => {
    await using project = await aProject({ script: ['One.', 'Two.'] })
    await using chat = await aChat(project, { args: ['--plain'], first: 'default with' })
    chat.type(`a list:${ENTER}- tea${ENTER}- /quit${ENTER}`)
    await chat.shows('One.')
    chat.type(`thanks${ENTER}`)
    await chat.shows('Two.')
    const [run] = (await project.holdpoint('runs', '--json')).json
    const messages = (await project.messages(run.session_id)).filter(({ role }) => role === 'user')
    expect(messages.map(({ content }) => content)).toEqual(['a list:\n- tea\n- /quit', 'thanks'])
  })

  test('holdpoint alone is a chat where a model is set', async () => {
    await using project = await aProject({ script: ['Hello.'] })
    await using chat = await aChat(project, { command: [] })
    await chat.shows('/help lists the commands')
    chat.type(`go${ENTER}`)
    await chat.shows('Hello.')
  })
})
