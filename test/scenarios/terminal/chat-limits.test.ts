/** The edges of a chat: what is very large, very small, taken away or changed behind its back. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { openDatabase } from '../../open-database.ts'
import { aProject, command, effect, type Project } from '../project.ts'
import { aChat, type ChatTerminal } from './chat-terminal.ts'
import { HAS_TERMINAL } from './pseudo-terminal.ts'

const ASKS = { tools: { run_command: 'prompt' } }
const ONE = { text: 'I will do it.', calls: [effect('tc_1', 'one')] }
const ENTER = '\r'

/** In megabytes, at the highest so far. */
function memoryOf({ pid }: ChatTerminal): number {
  const [, kilobytes = ''] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

async function gone(pid: number): Promise<void> {
  await expect.poll(() => isThere(pid)).toBe(false)
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function newestRun(project: Project): Promise<{ readonly session_id: string; readonly status: string }> {
  const [run] = (await project.holdpoint('runs', '--json')).json
  return run
}

describe.skipIf(!HAS_TERMINAL)('a chat at its limits', () => {
  test('P9: a hold that was changed behind the back of its reader is not approved', async () => {
    await using project = await aProject({ script: [ONE, 'Done.'], policy: ASKS })
    await using chat = await aChat(project)
    chat.type(`go${ENTER}`)
    await chat.shows('Tab to decide')
    const file = openDatabase(project.path('.holdpoint', 'holdpoint.db'))
    file.exec(`UPDATE holds SET asked = json_set(asked, '$.arguments.command', 'echo other >> effects.log')`)
    file.close()
    await chat.press('\t', 'a', 'r', 'u', 'n')
    await chat.shows(/^! /m)
    expect(await project.effects()).toEqual([])
    expect((await project.holdpoint('holds', '--json')).json).toHaveLength(1)
  })

  test.each(['SIGHUP', 'the terminal'])(
    'P4: if %s ends the chat, the run rests, and the next chat goes on',
    async end => {
      await using project = await aProject({ script: [ONE, { text: 'Slow.', delay_ms: 700 }], policy: ASKS })
      await using chat = await aChat(project)
      chat.type(`go${ENTER}`)
      await chat.shows('Tab to decide')
      chat.type(`/approve${ENTER}`)
      await chat.shows('✓ run_command')
      const { pid } = chat
      if (end === 'SIGHUP') process.kill(pid, 'SIGHUP')
      else await chat.close()
      await gone(pid)
      const { session_id } = await newestRun(project)
      await using next = await aChat(project, { args: [session_id] })
      await next.shows('› go')
      await next.shows(/stopped|running|Slow\./)
      if (next.screen().includes('stopped')) next.type(`/go${ENTER}`)
      await next.shows('Slow.')
      expect(await project.effects()).toEqual(['one'])
    },
  )

  test('Ctrl+C during a tool stops the run, Ctrl+Z gives the terminal back, and both can go on', async () => {
    const slow = command('tc_1', 'echo begun >> effects.log; sleep 30; echo over >> effects.log')
    await using project = await aProject({ script: [{ calls: [slow] }, 'Done.'], policy: { default: 'auto' } })
    await using chat = await aChat(project, { inShell: true })
    chat.type(`go${ENTER}`)
    await expect.poll(() => project.effects()).toEqual(['begun'])
    chat.type('my draft')
    await chat.shows('› my draft')
    chat.type('\u001a')
    await chat.shows('Stopped')
    chat.type(`echo shell $((6*7))${ENTER}`)
    await chat.shows('shell 42')
    chat.type(`fg${ENTER}`)
    await chat.shows(/› my draft\s*$/)
    chat.type('\u0003')
    await chat.shows('my draft', false)
    chat.type('\u0003')
    await chat.shows('stopped: a message or /go goes on')
    chat.type('\u0004')
    await chat.shows('Go on with: holdpoint chat th_')
    chat.type(`echo again $((6*8))${ENTER}`)
    await chat.shows('again 48')
    expect(await newestRun(project)).toMatchObject({ status: expect.stringMatching(/running|waiting/) })
  })

  test('P9: arguments of 2 MB and an output of 50 MB cost bounded memory, and the bar tells how much more there is', async () => {
    const comments = Array.from({ length: 20_000 }, (_, n) => `# line ${n} ${'x'.repeat(90)}`).join('\n')
    const long = command('tc_1', `${comments}\ntrue`)
    const loud = command('tc_2', "head -c 50000000 /dev/zero | tr '\\0' x | fold -w 99")
    await using project = await aProject({
      script: [{ calls: [long] }, { calls: [loud] }, 'Done.'],
      policy: ASKS,
    })
    await using chat = await aChat(project)
    chat.type(`go${ENTER}`)
    await chat.shows(/Tab to decide · \([\d,]+ more lines, then 1,[89]\d\d,\d{3} characters\)/)
    await chat.press('\t', 'a')
    await chat.shows('Not all of it was on the screen')
    chat.type('\u001b')
    await sleep(350)
    chat.type(`/show tc_1${ENTER}`)
    await chat.shows(/\(1,[89]\d\d,\d{3} more characters: holdpoint show tc_1\)/)
    chat.type(`/approve tc_1${ENTER}`)
    await chat.shows('tc_1 approved by you')
    await chat.shows('head -c 50000000')
    chat.type(`/approve tc_2${ENTER}`)
    await chat.shows('Done.')
    await chat.shows(/\([\d,]+ more lines: \/show tc_2\)/)
    expect(memoryOf(chat)).toBeLessThan(400)
  })

  test('200 changes of size with an open bar and wide characters leave one bar and the draft', async () => {
    const wide = command('tc_1', `echo '日本語 👩‍👩‍👧 ${'漢字 '.repeat(30)}' >> effects.log`)
    await using project = await aProject({ script: [{ text: '日本語 👩‍👩‍👧', calls: [wide] }, 'Done.'], policy: ASKS })
    await using chat = await aChat(project)
    chat.type(`go${ENTER}`)
    await chat.shows('Tab to decide')
    chat.type('尺寸 👩‍💻 draft')
    await chat.shows('draft')
    const sizes = [
      [80, 24],
      [50, 20],
      [100, 30],
      [66, 24],
    ] as const
    for (let n = 0; n < 200; n += 1) {
      const [columns, rows] = sizes[n % sizes.length] ?? [80, 24]
      chat.resize(columns, rows)
      if (n % 8 === 0) await sleep(10)
    }
    chat.resize(80, 24)
    const count = (text: string) => chat.screen().split(text).length - 1
    await expect
      .poll(() => [count('1 waits'), count('Tab to decide'), count('› 尺寸'), count('waits for you')])
      .toEqual([1, 1, 1, 1])
    expect(await project.effects()).toEqual([])
  })

  test.each([
    [{ NO_COLOR: '1' }, []],
    [{ TERM: 'dumb' }, []],
    [{}, ['--plain']],
  ])(
    'with %j and %j it writes lines without an escape, Backspace edits, and slash commands decide',
    async (env, args) => {
      await using project = await aProject({ script: [ONE, 'Done.'], policy: ASKS })
      await using chat = await aChat(project, { env, args, first: 'default with' })
      chat.type('go nov\u00e4\u007f\u007fw!!\u007f\u007f')
      chat.type(ENTER)
      await chat.shows('/approve tc_1')
      chat.type(`/aprove tc_1${ENTER}`)
      await chat.shows('Did you mean /approve?')
      chat.type(`/approve tc_1${ENTER}`)
      await chat.shows('Done.')
      expect(chat.written).not.toContain('\u001b')
      expect(await project.effects()).toEqual(['one'])
      const [session] = (await project.holdpoint('threads', '--json')).json
      expect((await project.holdpoint('threads', 'show', session.session_id)).stdout).toContain('go now\n')
      const endless = 'x'.repeat(5000)
      chat.type(endless)
      chat.type(ENTER)
      await chat.shows('The terminal cut that line, so it was not sent.')
      chat.type('\u0003')
      expect(await chat.over()).toBe(0)
    },
  )
})
