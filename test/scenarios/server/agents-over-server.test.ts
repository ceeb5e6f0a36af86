import { expect, test } from 'vitest'
import { endAgents, until } from '../agents/agents.ts'
import { aProject, effect } from '../project.ts'
import { aServer, TOKEN } from './server-process.ts'

const DEPLOY = [
  { text: 'I am about to apply.', calls: [effect('tc_1', 'applied')] },
  { text: 'Deployed.' },
  { text: 'More is done.' },
  { text: 'That was all.' },
]
const POLICY = { tools: { run_command: 'prompt' } }

test('agents are spawned, seen, told and killed at a server, by the same commands', async () => {
  await using project = await aProject({ script: DEPLOY, policy: POLICY })
  await using server = await aServer(project)
  await using elsewhere = await aProject({})
  const env = { HOLDPOINT_SERVER: server.url, HOLDPOINT_TOKEN: TOKEN }
  const there = (...args: string[]) => elsewhere.run(['agents', ...args], { env })

  const refused = await there('spawn', '--model', 'script:x', 'deploy')
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('--model is for an agent that runs here') })
  expect((await there('--json')).json).toEqual([])

  const waiting = await there('spawn', '--name', 'docs', '--interactive', '--wait', 'deploy', '--json')
  expect(waiting).toMatchObject({ exit: 10, json: { name: 'docs', status: 'waiting', holds: 1 } })
  expect(waiting.json.workdir).toBe(project.directory)
  const taken = await there('spawn', '--name', 'docs', 'deploy', '--json')
  expect([taken.exit, taken.json.error.code]).toEqual([2, 'name_taken'])

  expect((await elsewhere.run(['approve', 'tc_1'], { env })).exit).toBe(0)
  await until(project, 'docs', 'idle')
  expect(await there('send', 'docs', 'and more', '--wait')).toMatchObject({ exit: 0, stdout: 'More is done.\n' })
  expect((await there('logs', 'docs')).stdout).toMatch(/: and more\n.*More is done\.\n/s)
  expect((await there('show', 'docs', '--json')).json).toMatchObject({ status: 'idle', task: { kind: 'agent' } })
  const killed = await there('kill', 'docs', '--json')
  expect([killed.exit, killed.json.status]).toEqual([0, expect.stringMatching(/^kill/)])
  expect((await there('respawn', 'docs', '--json')).json).toMatchObject({ status: expect.any(String) })
  await endAgents(project)
})
