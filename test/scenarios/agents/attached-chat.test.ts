/** The stories of `holdpoint agents attach` at a terminal that draws. */
import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { aProject, command, effect, type Project } from '../project.ts'
import { aServer, TOKEN } from '../server/server-process.ts'
import { aChat, attached } from '../terminal/chat-terminal.ts'
import { HAS_TERMINAL } from '../terminal/pseudo-terminal.ts'
import { agents, endAgents, until } from './agents.ts'
import { rowsOf } from './fleet-rows.ts'

const SCRIPT = [
  { text: 'I am about to apply.', calls: [effect('tc_1', 'applied')] },
  { text: 'Deployed.' },
  { text: 'More is done.' },
  { text: 'That was all.' },
]
const ENTER = '\r'

async function aWaitingAgent(...flags: string[]): Promise<Project> {
  const project = await aProject({ script: SCRIPT, policy: { tools: { run_command: 'prompt' } } })
  await agents(project, 'spawn', '--name', 'docs', '--interactive', ...flags, 'deploy')
  await until(project, 'docs', 'waiting')
  return project
}

async function anIdleAgent(...flags: string[]): Promise<Project> {
  const project = await aWaitingAgent(...flags)
  await project.holdpoint('approve', 'tc_1')
  await until(project, 'docs', 'idle', 'parked')
  return project
}

describe.skipIf(!HAS_TERMINAL)('an attached chat', () => {
  test('one client writes and all may decide; who writes is shown, and /writer takes that over', async () => {
    await using project = await aWaitingAgent()
    await using ana = await attached(project, 'ana')
    await ana.shows('Tab to decide')
    await using ben = await attached(project, 'ben')
    await ben.shows('ana writes: /writer')
    ben.type(`and more${ENTER}`)
    await ben.shows('ana writes to this agent.')
    await ben.shows('› and more')
    // Deciding needs no right to write.
    ben.type(`\u0003/approve tc_1${ENTER}`)
    await ana.shows(/tc_1 approved by ben on attach, \d\d:\d\d/)
    await ben.shows('tc_1 approved by you')
    await ben.shows('Deployed.')
    ben.type(`/writer${ENTER}`)
    await ana.shows('ben writes to it: /writer takes that over')
    ben.type(`and more${ENTER}`)
    await ana.shows('ben › and more')
    await ana.shows('More is done.')
    ben.type('\u0004')
    expect(await ben.over()).toBe(0)
    await ana.shows('2 attached', false)
    ana.type('\u0004')
    await ana.over()
    expect(await until(project, 'docs', 'idle')).toMatchObject({ clients: 0 })
    await endAgents(project)
  })

  test('a parked agent is shown, and a message starts its process; /end ends it and leaves', async () => {
    await using project = await anIdleAgent('--idle-timeout', '0.3', '--on-idle', 'park')
    await until(project, 'docs', 'parked')
    await using chat = await attached(project, 'ana')
    await chat.shows('Deployed.')
    await chat.shows('docs is parked: it waits for a message, without a process. Your next message starts its process.')
    chat.type(`and more${ENTER}`)
    await chat.shows('More is done.')
    await chat.shows('· idle ─')
    chat.type(`/help${ENTER}`)
    await chat.shows(/\/end +end the agent once its turn is over, and leave/)
    chat.type(`/end${ENTER}`)
    expect(await chat.over()).toBe(0)
    expect(chat.screen()).toMatch(/· ended by you\ndocs \(task_\w+\) {2}done: it came to its end/)
    await until(project, 'docs', 'done')
  })

  test('P2: a message is taken once although the process that it was for is killed, and the screen goes on', async () => {
    await using project = await anIdleAgent()
    await using chat = await attached(project, 'ana')
    await chat.shows('· idle ─')
    const [, pid] = rowsOf(project)?.presence?.process.split(':') ?? []
    process.kill(Number(pid), 'SIGKILL')
    chat.type(`and more${ENTER}`)
    await chat.shows('More is done.')
    await chat.shows('· idle ─')
    chat.type(`the last${ENTER}`)
    await chat.shows('That was all.')
    expect(chat.screen().match(/› and more/g)).toHaveLength(1)
    chat.type('\u0004')
    await chat.over()
    await endAgents(project)
  })

  test('/fork goes on with another agent, with the images that a message names; --since chooses what is shown', async () => {
    await using project = await anIdleAgent()
    writeFileSync(project.path('dot.png'), 'no picture, but bytes')
    await using chat = await attached(project, 'ana', '--since', '6')
    await chat.shows('Deployed.')
    expect(chat.screen()).not.toContain('I am about to apply.')
    await chat.shows('· idle ─')
    chat.type(`/fork${ENTER}`)
    const [, fork = ''] = /goes on in\s+(task_\w+)/.exec(await chat.shows(/goes on in\s+task_\w{16}/)) ?? []
    chat.type(`look at @dot.png${ENTER}`)
    await chat.shows('[image dot.png, image/png, 21 bytes]')
    await chat.shows('More is done.')
    await chat.shows('· idle ─')
    expect((await agents(project, 'logs', 'docs')).stdout).not.toContain('look at')
    expect((await agents(project, 'show', fork, '--json')).json).toMatchObject({ status: 'idle', clients: 1 })
    chat.type('\u0004')
    await chat.over()
    const refused = await project.run(['agents', 'attach', 'docs', '--plain'])
    expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('--plain is the chat as lines') })
    await endAgents(project)
  })

  test('an agent that crashes is told of, and /resume goes on with its journal', async () => {
    const waits = command('tc_1', 'until [ -e go ]; do sleep 0.05; done')
    const script = [{ text: 'I wait.', calls: [waits] }, 'Done.']
    await using project = await aProject({ script, policy: { default: 'auto' } })
    await agents(project, 'spawn', '--name', 'docs', '--interactive', 'wait')
    await using chat = await attached(project, 'ana')
    await chat.shows('I wait.')
    await chat.shows('until [ -e go ]')
    const [, pid] = rowsOf(project)?.presence?.process.split(':') ?? []
    process.kill(Number(pid), 'SIGKILL')
    await chat.shows('/resume goes on with its journal.')
    chat.type(`/resume${ENTER}`)
    await chat.shows('Tab to decide')
    chat.type(`/deny tc_1 it never ran${ENTER}`)
    await chat.shows('Done.')
    writeFileSync(project.path('go'), '')
    chat.type(`/end${ENTER}`)
    expect(await chat.over()).toBe(0)
  })

  test('with --plain it is lines alone, each hold in full with what decides it', async () => {
    await using project = await aWaitingAgent()
    await using chat = await attached(project, 'ana', '--plain')
    await chat.shows('/approve tc_1, /deny tc_1 WHY, or /edit tc_1')
    chat.type(`/approve tc_1${ENTER}`)
    await chat.shows('Deployed.')
    await chat.shows('· docs is idle')
    chat.type(`and more${ENTER}`)
    await chat.shows('More is done.')
    chat.type(`/end${ENTER}`)
    expect(await chat.over()).toBe(0)
    expect(chat.written).not.toContain('\u001b[?2026h')
    expect(await project.effects()).toEqual(['applied'])
  })

  test('over a server it is the same screen: the token signs, and /end waits for the turn', async () => {
    await using project = await aWaitingAgent()
    await using server = await aServer(project, '--no-work')
    await using chat = await aChat(project, {
      command: ['agents', 'attach', 'docs', '--server', server.url],
      env: { HOLDPOINT_TOKEN: TOKEN },
      columns: 100,
      first: '/help lists the commands',
    })
    await chat.shows('Tab to decide')
    chat.type('/end')
    await chat.shows('› /end')
    chat.type(ENTER)
    await chat.shows('› /end', false)
    chat.type(`/approve tc_1${ENTER}`)
    await chat.shows('tc_1 approved by you')
    await chat.shows('Deployed.')
    expect(await chat.over()).toBe(0)
    expect(chat.screen()).toMatch(/docs \(task_\w+\) {2}done: it came to its end/)
    expect(await project.effects()).toEqual(['applied'])
  })
})
