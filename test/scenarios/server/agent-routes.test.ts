import { expect, test } from 'vitest'
import { agents, type Document, endAgents, until } from '../agents/agents.ts'
import { aProject, effect, type Project } from '../project.ts'
import { aServer, TOKEN } from './server-process.ts'

const DEPLOY = [
  { text: 'I am about to apply.', calls: [effect('tc_1', 'applied')] },
  { text: 'Deployed.' },
  { text: 'More is done.' },
]
const TALK = [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }]

function aFleet(): Promise<Project> {
  return aProject({
    script: DEPLOY,
    policy: { tools: { run_command: 'prompt' } },
    files: { 'talk.json': JSON.stringify(TALK) },
  })
}

const TALKER = ['--interactive', '--on-idle', 'park', '--model', 'script:talk.json']

test('a server lists agents with those first that need a person, by name and by status, and kills one', async () => {
  await using project = await aFleet()
  await agents(project, 'spawn', '--name', 'deployer', 'deploy')
  const waiting = await until(project, 'deployer', 'waiting')
  await agents(project, 'spawn', '--name', 'talker', ...TALKER, 'go')
  await until(project, 'talker', 'idle')
  await using server = await aServer(project, '--no-work')
  const names = async (query: string) =>
    (await server.send(`/v1/agents${query}`)).json.agents.map(({ name }: Document) => name)
  expect(await names('')).toEqual(['deployer', 'talker'])
  expect(await names('?status=idle')).toEqual(['talker'])
  expect(await names(`?parent_run_id=${waiting.run_id}`)).toEqual([])

  const found = await server.send('/v1/agents/deployer')
  expect([found.status, found.json]).toMatchObject([200, { id: waiting.id, status: 'waiting', holds: 1 }])
  expect(await server.send('/v1/agents/nobody')).toMatchObject({ status: 404, json: { code: 'unknown_agent' } })
  expect(await server.send('/v1/agents/task_')).toMatchObject({ status: 409, json: { code: 'ambiguous_id' } })
  expect((await server.send('/v1/agents?status=asleep')).json.code).toBe('invalid_query')

  const kill = () => server.send('/v1/agents/deployer?reason=no', { method: 'DELETE' })
  expect(await kill()).toMatchObject({ status: 200, json: { status: 'killed' } })
  expect(await kill()).toMatchObject({ status: 409, json: { code: 'task_over' } })
  await endAgents(project)
})

test('an agent tells what was said last, what it asks, and when its idle clock ends', async () => {
  await using project = await aFleet()
  await agents(project, 'spawn', '--name', 'deployer', 'deploy')
  await until(project, 'deployer', 'waiting')
  await agents(project, 'spawn', '--name', 'talker', ...TALKER, '--idle-timeout', '3600', 'go')
  await until(project, 'talker', 'idle')
  await using server = await aServer(project, '--no-work')
  const {
    json: {
      agents: [deployer, talker],
    },
  } = await server.send('/v1/agents')
  expect(deployer).toMatchObject({
    last_message: { is_of_agent: true, line: 'I am about to apply.', is_cut: false },
    first_hold: { kind: 'approval', tool: 'run_command', is_cut: false },
    ends_at: null,
  })
  expect(deployer.first_hold.summary).toContain('applied')
  expect(talker).toMatchObject({ last_message: { is_of_agent: true, line: 'One.' }, first_hold: null })
  const left = Date.parse(talker.ends_at) - Date.now()
  expect([left > 0, left <= 3_600_000]).toEqual([true, true])
  expect((await server.send('/v1/agents/talker')).json.last_message).toEqual(talker.last_message)
  await endAgents(project)
})

test('P2: a message with one key is one message however often it is sent, and to end is a decision', async () => {
  await using project = await aFleet()
  await agents(project, 'spawn', '--name', 'talker', ...TALKER, 'go')
  const { session_id } = await until(project, 'talker', 'idle')
  await using server = await aServer(project, '--no-work')
  const say = () =>
    server.send('/v1/agents/talker/messages', { body: { text: 'and?' }, headers: { 'idempotency-key': 'm-1' } })
  const sent = await Promise.all([say(), say(), say()])
  expect(sent.map(({ status }) => status)).toEqual([202, 202, 202])
  expect(sent.map(({ json }) => json.outcome).toSorted()).toEqual(['answered', 'duplicate', 'duplicate'])
  expect(new Set(sent.map(({ json }) => json.seq)).size).toBe(1)

  await until(project, 'talker', 'idle')
  const { json: said } = await server.send(`/v1/threads/${session_id}/messages`)
  expect(said.messages.filter(({ content }: Document) => content === 'and?')).toHaveLength(1)
  const end = () => server.send('/v1/agents/talker/end', { body: {} })
  expect(await end()).toMatchObject({ status: 200 })
  await until(project, 'talker', 'done')
  expect(await end()).toMatchObject({ status: 410, json: { code: 'ended' } })
})

test('to look takes a viewer, and to talk, to end and to kill an operator', async () => {
  await using project = await aFleet()
  await agents(project, 'spawn', '--name', 'deployer', 'deploy')
  await until(project, 'deployer', 'waiting')
  const token = (await project.holdpoint('tokens', 'add', 'vic', '--role', 'decider')).stdout.trim()
  await using server = await aServer(project, '--no-work')
  expect((await server.send('/v1/agents', { token })).status).toBe(200)
  for (const sent of [
    await server.send('/v1/agents/deployer/messages', { token, body: { text: 'hi' } }),
    await server.send('/v1/agents/deployer/end', { token, body: {} }),
    await server.send('/v1/agents/deployer', { token, method: 'DELETE' }),
  ])
    expect(sent).toMatchObject({ status: 403, json: { code: 'role_not_sufficient' } })
  const busy = await server.send('/v1/agents/deployer/end', { body: {} })
  expect(busy).toMatchObject({ status: 409, json: { code: 'busy', details: { status: 'waiting' } } })
  await endAgents(project)
})

test('commands list agents, talk to them, kill them and take them off the list over a server', async () => {
  await using project = await aFleet()
  await agents(project, 'spawn', '--name', 'talker', ...TALKER, 'go')
  const { id } = await until(project, 'talker', 'idle')
  await using server = await aServer(project, '--no-work')
  const over = { env: { HOLDPOINT_SERVER: server.url, HOLDPOINT_TOKEN: TOKEN } }
  const there = (...words: string[]) => project.run(['agents', ...words], over)
  expect((await there('--json')).json).toMatchObject([{ id, name: 'talker', status: 'idle' }])
  expect((await there('show', 'talker', '--json')).json).toMatchObject({ id, task: { task_id: id } })
  expect(await there('send', 'talker', '--wait', 'and?')).toMatchObject({ exit: 0, stdout: 'Two.\n' })
  expect((await there('logs', 'talker')).stdout).toBe((await agents(project, 'logs', 'talker')).stdout)
  expect((await there('kill', 'talker', '--json')).json).toMatchObject({ id, status: 'killed' })
  expect((await there('rm', 'talker', '--json')).json).toMatchObject({ id, status: 'killed' })
  expect((await there('show', 'talker', '--json')).json.error.code).toBe('unknown_agent')
})
