import { expect, test } from 'vitest'
import { aProject, effect } from '../../scenarios/project.ts'
import { aServer } from '../../scenarios/server/server-process.ts'
import { aClient, approve, errorOf, finishOf, type OfficialClient, VERSIONS } from './official-client.ts'

const pick = { id: 'pick_1', name: 'pickEnvironment', args: { among: ['staging', 'production'] } }
const tools = [
  {
    name: 'pickEnvironment',
    description: 'Asks the user for the environment',
    parameters: { type: 'object', properties: { among: { type: 'array', items: { type: 'string' } } } },
  },
]
const policy = { default: 'prompt' }

function result(client: OfficialClient, content: string): void {
  client.agent.addMessage({ id: 'tool-1', role: 'tool', toolCallId: 'pick_1', content })
}

test.for(VERSIONS)('a client of %s runs a tool of its own, and its result goes on with the run', async version => {
  await using project = await aProject({ script: [{ text: 'Which?', calls: [pick] }, 'To staging.'], policy })
  await using server = await aServer(project)
  const client = aClient(version, server)
  client.agent.addMessage({ id: 'u1', role: 'user', content: 'deploy' })
  const asked = await client.run({ tools })
  expect(asked.types).not.toContain('TOOL_CALL_RESULT')
  const pending = version === '1.0.0' ? { pendingToolCallIds: ['pick_1'] } : {}
  expect(finishOf(asked).outcome).toEqual({ type: 'success', ...pending })
  expect(client.interrupts).toEqual([])

  result(client, 'staging')
  const done = await client.run({ tools })
  expect(finishOf(done)).toMatchObject({ outcome: { type: 'success' }, result: 'To staging.' })
  expect(client.messages.map(({ id, role }) => [id, role]).slice(1)).toEqual([
    [expect.any(String), 'assistant'],
    ['tool-1', 'tool'],
    [expect.any(String), 'assistant'],
  ])
  // The client repeats its history: the result that counts is the first.
  client.messages.find(({ id }) => id === 'tool-1').content = 'production'
  const again = await client.run({ tools })
  expect(finishOf(again).outcome).toEqual({ type: 'success' })
  const [hold] = (await server.send('/v1/holds?kind=client_tool&status=decided')).json.holds
  expect(hold.decision).toMatchObject({ value: 'staging', surface: 'ag-ui', decided_by: 'ana' })
})

test.for(VERSIONS)(
  'a client of %s that says something else instead is heard, and its call is cancelled',
  async version => {
    await using project = await aProject({ script: [{ calls: [pick] }, 'Then not.'], policy })
    await using server = await aServer(project)
    const client = aClient(version, server)
    client.agent.addMessage({ id: 'u1', role: 'user', content: 'deploy' })
    await client.run({ tools })
    client.agent.addMessage({ id: 'u2', role: 'user', content: 'never mind' })
    const done = await client.run({ tools })
    expect(finishOf(done)).toMatchObject({ outcome: { type: 'success' }, result: 'Then not.' })
    expect(client.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant'])
  },
)

test.for(VERSIONS)(
  'an approval and a result of %s are given in one request, or nothing of it counts',
  async version => {
    await using project = await aProject({ script: [{ calls: [pick, effect('tc_2', 'applied')] }, 'Done.'], policy })
    await using server = await aServer(project)
    const client = aClient(version, server)
    client.agent.addMessage({ id: 'u1', role: 'user', content: 'deploy' })
    const asked = await client.run({ tools })
    expect(finishOf(asked).outcome).toMatchObject({ type: 'interrupt', interrupts: [{ toolCallId: 'tc_2' }] })
    const [{ id }] = client.interrupts
    result(client, 'staging')
    const reloaded = aClient(version, server, { threadId: client.agent.threadId, messages: client.messages })
    expect(errorOf(await reloaded.run({ tools }))).toMatchObject({ code: 'interrupt_pending' })
    expect((await server.send('/v1/holds?status=decided')).json.holds).toEqual([])

    const done = await client.run({ tools, resume: [{ interruptId: id, ...approve() }] })
    expect(finishOf(done)).toMatchObject({ outcome: { type: 'success' }, result: 'Done.' })
    expect(await project.effects()).toEqual(['applied'])
  },
)

test('a tool of the server is not replaced by one of the client', async () => {
  await using project = await aProject({ script: [{ calls: [effect('tc_1', 'applied')] }, 'Done.'], policy })
  await using server = await aServer(project)
  const client = aClient('1.0.0', server)
  client.agent.addMessage({ id: 'u1', role: 'user', content: 'deploy' })
  await client.run({ tools: [{ name: 'run_command', description: 'mine', parameters: { type: 'object' } }] })
  expect(client.interrupts).toMatchObject([{ metadata: { kind: 'approval', tool: 'run_command' } }])
})
