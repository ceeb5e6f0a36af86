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

function aDeployer(): Promise<Project> {
  return aProject({ script: DEPLOY, policy: POLICY })
}

test.skipIf(!HAS_TERMINAL)('a person attaches, approves, says more, leaves, and the agent goes on', async () => {
  await using project = await aDeployer()
  await agents(project, ...STAYS, 'deploy')
  await until(project, 'docs', 'waiting')
  const { exit, screen } = await inTerminal(project, ['agents', 'attach', 'docs'], {
    columns: 120,
    keys: [
      ['/detach', ''],
      ['"command": "echo applied >> effects.log"', '/approve tc_1\r'],
      ['docs: Deployed.', 'and more\r'],
      ['docs: More is done.', '/detach\r'],
    ],
  })
  expect(screen).toContain('ana: and more\n')
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
