import { expect, test } from 'vitest'
import { agents, endAgents, until } from '../agents/agents.ts'
import { aProject, effect } from '../project.ts'
import { aServer } from './server-process.ts'

const DEPLOY = [
  { text: 'I am about to apply.', calls: [effect('tc_1', 'applied')] },
  { text: 'Deployed.' },
  { text: 'More is done.' },
  { text: 'That was all.' },
]
const POLICY = { tools: { run_command: 'prompt' } }

test('agents are listed by need, told something, ended and killed over HTTP', async () => {
  await using project = await aProject({ script: DEPLOY, policy: POLICY })
  await agents(project, 'spawn', '--name', 'docs', '--interactive', 'deploy')
  await agents(project, 'spawn', '--name', 'other', '--interactive', 'deploy')
  const docs = await until(project, 'docs', 'waiting')
  await until(project, 'other', 'waiting')
  await using server = await aServer(project)

  const listed = await server.send('/v1/agents')
  expect(listed.json).toMatchObject({ agents: [{ status: 'waiting' }, { status: 'waiting' }], next: null })
  expect((await server.send('/v1/agents/docs')).json).toMatchObject({ id: docs.id, name: 'docs', holds: 1 })
  expect((await server.send('/v1/agents?status=idle')).json.agents).toEqual([])

  const busy = await server.send('/v1/agents/docs/end', { method: 'POST', body: {} })
  expect([busy.status, busy.json.code]).toEqual([409, 'busy'])
  const [hold] = (await server.send(`/v1/holds?run_id=${docs.run_id}`)).json.holds
  await server.send(`/v1/holds/${hold.id}/decisions`, { body: { verdict: 'approve' } })
  const idle = await until(project, 'docs', 'idle')

  const say = () =>
    server.send('/v1/agents/docs/messages', { body: { text: 'and more' }, headers: { 'idempotency-key': 'say-1' } })
  const said = await Promise.all(Array.from({ length: 10 }, say))
  expect(said.map(({ status }) => status)).toEqual(Array(10).fill(202))
  const outcomes = said.map(({ json }) => json.outcome)
  expect(outcomes.filter(outcome => outcome === 'duplicate')).toHaveLength(9)
  expect(new Set(said.map(({ json }) => json.seq))).toEqual(new Set([said[0]?.json.seq]))
  expect(said[0]?.json.seq).toEqual(expect.any(Number))
  await until(project, 'docs', 'idle')
  const { json: messages } = await server.send(`/v1/threads/${idle.session_id}/messages`)
  const users = JSON.stringify(messages).match(/and more/g) ?? []
  expect(users).toHaveLength(1)

  const ended = await server.send('/v1/agents/docs/end', { method: 'POST', body: {} })
  expect([ended.status, ended.json.status]).toEqual([200, 'done'])
  const again = await server.send('/v1/agents/docs/end', { method: 'POST', body: {} })
  expect([again.status, again.json.code]).toEqual([410, 'ended'])

  const killed = await server.send('/v1/agents/other?reason=enough', { method: 'DELETE' })
  expect([killed.status, killed.json.status]).toEqual([200, expect.stringMatching(/^kill/)])
  const unknown = await server.send('/v1/agents/nobody')
  expect([unknown.status, unknown.json.code]).toEqual([404, 'unknown_agent'])
  await endAgents(project)
})
