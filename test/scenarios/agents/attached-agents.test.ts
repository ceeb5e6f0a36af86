import { symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { aProject, effect, type Project } from '../project.ts'
import { HAS_TERMINAL, inTerminal } from '../terminal/pseudo-terminal.ts'
import { agentNamed, agents, endAgents, until } from './agents.ts'

const DEPLOY = [
  { text: 'I am about to apply.', calls: [effect('tc_1', 'applied')] },
  { text: 'Deployed.' },
  { text: 'More is done.' },
  { text: 'That was all.' },
]
const POLICY = { tools: { run_command: 'prompt' } }
const STAYS = ['spawn', '--name', 'docs', '--interactive']

function aDeployer(script: readonly unknown[] = DEPLOY): Promise<Project> {
  return aProject({ script, policy: POLICY })
}

test.skipIf(!HAS_TERMINAL)('a person attaches, approves, says more, leaves, and the agent goes on', async () => {
  await using project = await aDeployer()
  await agents(project, ...STAYS, 'deploy')
  await until(project, 'docs', 'waiting')
  const { exit, screen } = await inTerminal(project, ['agents', 'attach', 'docs'], {
    columns: 120,
    keys: [
      ['Tab to decide', '/approve tc_1\r'],
      ['Deployed.', 'and more\r'],
      ['More is done.', '/detach\r'],
    ],
  })
  expect(screen).toContain('tc_1 approved by you\n')
  expect(screen).toContain('\n› and more\n')
  // The frame below the scrollback is gone.
  expect(screen).toMatch(/More is done\.\n\S.* idle: it waits for a message/)
  expect([exit, await project.effects()]).toEqual([0, ['applied']])
  expect(await until(project, 'docs', 'idle')).toMatchObject({ clients: 0 })
  await endAgents(project)
})

test('a viewer without a terminal ends nothing when its input ends, and sees what happens until the agent is over', async () => {
  await using project = await aDeployer()
  await agents(project, ...STAYS, 'deploy')
  await until(project, 'docs', 'waiting')
  const viewer = project.run(['agents', 'attach', 'docs'], { stdin: '' })
  await until(project, 'docs', 'waiting')
  await project.holdpoint('approve', 'tc_1')
  await until(project, 'docs', 'idle')
  const ended = await project.run(['agents', 'attach', 'docs', '--end-on-eof'], { stdin: 'and more\n' })
  expect(ended).toMatchObject({ exit: 0, stdout: expect.stringContaining('docs: More is done.\n') })
  expect((await viewer).stdout).toMatch(/docs: Deployed\.\n.*ana: and more\n.*docs: More is done\.\n/s)
  expect((await agentNamed(project, 'docs')).status).toBe('done')
})

test('each line of a pipe is sent, also as a bare frame, and its end ends the attaching, not the agent', async () => {
  await using project = await aProject({ script: ['Ready.', 'More.', 'Much more.', 'All.'] })
  await agents(project, 'spawn', '--interactive', '--name', 'docs', 'begin')
  await until(project, 'docs', 'idle')
  const lines = 'and more\n{"type":"UserMessage","text":"and then"}\n{"note": "no frame"}'
  const left = await project.run(['agents', 'attach', 'docs'], { stdin: lines })
  expect(left.exit).toBe(0)
  const { session_id, clients } = await until(project, 'docs', 'idle')
  expect(clients).toBe(0)
  const said = (await project.holdpoint('threads', 'show', session_id)).stdout
  expect(said).toMatch(/user: and more\n.*user: and then\n.*user: \{"note": "no frame"\}\n/s)
  const refused = await project.run(['agents', 'attach', 'docs'], { stdin: '{"type":"user_message","text":7}\n' })
  expect(refused).toMatchObject({ stderr: expect.stringContaining('! ') })
  await endAgents(project)
})

test('of an agent that is parked, the first line of a pipe starts the process, and the end of the lines ends it', async () => {
  await using project = await aProject({ script: ['Ready.', 'More.'] })
  const parks = ['--interactive', '--name', 'docs', '--on-idle', 'park', '--idle-timeout', '0.1']
  await agents(project, 'spawn', ...parks, 'begin')
  await until(project, 'docs', 'parked')
  const left = await project.run(['agents', 'attach', 'docs', '--end-on-eof'], { stdin: '/detach\n' })
  expect(left).toMatchObject({ exit: 0, stderr: expect.stringContaining('parked') })
  const ended = await project.run(['agents', 'attach', 'docs', '--end-on-eof'], { stdin: '\nand more\n' })
  expect(ended).toMatchObject({ exit: 0, stdout: expect.stringContaining('docs: More.\n') })
  expect((await agentNamed(project, 'docs')).status).toBe('done')
})

test('a frame with a file starts the process of a parked agent with that file', async () => {
  await using project = await aProject({ script: ['Ready.', 'More.'], files: { 'notes.txt': 'by hand' } })
  const parks = ['--interactive', '--name', 'docs', '--on-idle', 'park', '--idle-timeout', '0.1']
  await agents(project, 'spawn', ...parks, 'begin')
  const { session_id } = await until(project, 'docs', 'parked')
  const said = { type: 'user_message', text: 'read', files: [{ path: 'notes.txt' }] }
  await project.run(['agents', 'attach', 'docs', '--end-on-eof'], { stdin: `${JSON.stringify(said)}\n` })
  expect(JSON.stringify(await project.messages(session_id))).toContain('notes.txt')
})

test('an agent that can have no socket works without one, and a client that attaches is told so', async () => {
  await using project = await aProject({ script: ['Ready.', 'More.'] })
  symlinkSync(tmpdir(), project.path('holdpoint'))
  const env = { XDG_RUNTIME_DIR: project.directory }
  await project.run(['agents', 'spawn', '--interactive', '--name', 'docs', 'begin'], { env })
  await until(project, 'docs', 'idle')
  expect(await agents(project, 'attach', 'docs', '--read-only', '--json')).toMatchObject({
    exit: 2,
    json: { error: { code: 'not_attached', message: expect.stringContaining('no socket') } },
  })
  expect(await agents(project, 'send', 'docs', '--wait', 'and more')).toMatchObject({ exit: 0, stdout: 'More.\n' })
  await endAgents(project)
})

test('lines of a pipe decide, also with --json, and what is longer than a line of the socket is told in full', async () => {
  await using project = await aDeployer([DEPLOY[0] ?? '', `Long: ${'word '.repeat(230_000)}`, 'More is done.'])
  await agents(project, ...STAYS, 'deploy')
  await until(project, 'docs', 'waiting')
  const decided = await project.run(['agents', 'attach', 'docs', '--json', '--end-on-eof'], {
    stdin: '/approve tc_1\n',
  })
  const frames = decided.stdout.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line)]))
  expect(frames.map(({ type }) => type)).toContain('ack')
  const answers = frames.flatMap(({ event }) => (event?.kind === 'model.answered' ? [event.data.text.length] : []))
  expect(answers).toContain('Long: '.length + 'word '.length * 230_000)
  expect([decided.exit, await project.effects()]).toEqual([0, ['applied']])
  expect((await agents(project, 'send', 'docs', '--interrupt', '--wait', 'and more')).stdout).toBe('More is done.\n')
  const told = await project.run(['agents', 'attach', 'docs', '--since', '0', '--end-on-eof'], { stdin: '' })
  expect(told.stdout).toMatch(/^docs: Long: (word ){229999}word$/m)
})

test('a client that may not end the agent with its input is told so, and leaves', async () => {
  await using project = await aProject({ script: [{ text: 'Ready.' }, { text: 'More.' }] })
  await agents(project, ...STAYS, 'begin')
  await until(project, 'docs', 'idle')
  const within = { stdin: '', env: { HOLDPOINT_WITHIN: 'agent:default/run_1' } }
  const refused = await project.run(['agents', 'attach', 'docs', '--end-on-eof'], within)
  expect(refused).toMatchObject({ exit: 2, stdout: expect.stringContaining('may not decide') })
  expect((await agentNamed(project, 'docs')).status).toBe('idle')
  await endAgents(project)
})

test('an idle agent is parked when its time is over, and a message starts its next process', async () => {
  await using project = await aDeployer()
  await agents(project, ...STAYS, '--idle-timeout', '0.3', '--on-idle', 'park', 'deploy')
  await until(project, 'docs', 'waiting')
  await project.holdpoint('approve', 'tc_1')
  const parked = await until(project, 'docs', 'parked')
  expect(parked.interactive).toEqual({ idle_timeout_ms: 300, on_idle: 'park' })
  expect(await agents(project, 'attach', 'docs', '--json')).toMatchObject({
    exit: 2,
    json: { error: { code: 'not_attached' } },
  })
  expect(await agents(project, 'send', 'docs', '--wait', 'and more')).toMatchObject({
    exit: 0,
    stdout: 'More is done.\n',
  })
  await endAgents(project)
})

test('an agent is interactive if its file says so, and one whose process does not stay is not attached to', async () => {
  await using project = await aProject({
    script: [{ text: 'One.' }],
    files: {
      '.holdpoint/agents/stays.md': '---\ninteractive: true\nidle_timeout: 0\n---\n\nTalk.\n',
      '.holdpoint/agents/goes.md': 'Talk.\n',
    },
  })
  await agents(project, 'spawn', '--agent', 'stays', '--name', 'stays', 'go')
  expect((await until(project, 'stays', 'idle')).interactive).toEqual({ idle_timeout_ms: 0, on_idle: 'end' })
  await agents(project, 'spawn', '--agent', 'goes', '--name', 'goes', 'go')
  await until(project, 'goes', 'done')
  const refused = await agents(project, 'attach', 'goes', '--json')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'not_interactive' } } })
  // One-shot runs of the same agent are as they were.
  expect(await project.holdpoint('-a', '--agent', 'stays', 'go')).toMatchObject({ exit: 0, stdout: 'One.\n' })
  await endAgents(project)
})
