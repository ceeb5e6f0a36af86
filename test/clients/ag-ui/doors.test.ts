import { expect, test } from 'vitest'
import { aProject, effect } from '../../scenarios/project.ts'
import { aServer, doneRun, openHold } from '../../scenarios/server/server-process.ts'
import { aClient, approve, errorOf, finishOf, VERSIONS } from './official-client.ts'

const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']
const policy = { default: 'prompt' }

test.for(VERSIONS)('P8: a run of REST is shown to a client of %s, which decides it', async version => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const { run_id, thread_id } = (await server.send('/v1/threads', { body: { input: 'deploy' } })).json
  const hold = await openHold(server, run_id)
  const client = aClient(version, server, { threadId: thread_id, agent: 'agent/default/connect' })
  const shown = await client.run()
  expect(finishOf(shown).outcome).toMatchObject({ type: 'interrupt', interrupts: [{ id: hold.id }] })
  expect(client.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  const decider = aClient(version, server, { threadId: thread_id })
  const done = await decider.resume({ [hold.id]: approve() })
  expect(finishOf(done)).toMatchObject({ outcome: { type: 'success' }, result: 'Deployed.' })
  expect(await project.effects()).toEqual(['applied'])
  const { json } = await server.send(`/v1/audit?hold_id=${hold.id}`)
  const surfaces = json.records.map(({ record }: { record: { kind: string; surface: string } }) => record)
  expect(surfaces).toMatchObject([
    { kind: 'hold.opened' },
    { kind: 'hold.shown', actor: 'ana', surface: 'ag-ui' },
    { kind: 'hold.decided', actor: 'ana', surface: 'ag-ui' },
  ])
})

test.for(VERSIONS)('a client of %s is asked for other arguments, and those run', async version => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const client = aClient(version, server)
  await client.say('deploy')
  const [{ id }] = client.interrupts
  await client.resume({ [id]: approve({ editedArgs: { command: 'echo edited >> effects.log' } }) })
  expect(await project.effects()).toEqual(['edited'])
})

test.for(VERSIONS)('a client of %s answers a question of the agent with what its schema asks for', async version => {
  const asks = { id: 'q_1', name: 'ask_human', args: { question: 'Which environment?' } }
  await using project = await aProject({ script: [{ calls: [asks] }, 'Thanks.'] })
  await using server = await aServer(project)
  const client = aClient(version, server)
  await client.say('deploy')
  const [interrupt] = client.interrupts
  expect(interrupt).toMatchObject({ reason: 'input_required', message: 'Which environment?', toolCallId: 'q_1' })
  const done = await client.resume({ [interrupt.id]: { status: 'resolved', payload: 'staging' } })
  expect(finishOf(done)).toMatchObject({ outcome: { type: 'success' }, result: 'Thanks.' })
  expect(client.messages.find(({ role }) => role === 'tool').content).toBe('staging')
})

test.for(VERSIONS)('the end of a cancelled run is told in words that a client of %s knows', async version => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const client = aClient(version, server, { threadId: 't-1' })
  await client.say('deploy')
  const [{ id }] = client.interrupts
  const stopped = await server.send('/ag-ui/agent/default/stop/t-1', { method: 'POST' })
  expect(stopped).toMatchObject({ status: 200, json: { stopped: true } })
  const told = await client.resume({ [id]: approve() })
  if (version === '1.0.0') expect(finishOf(told).outcome).toEqual({ type: 'cancelled' })
  expect(errorOf(told)).toMatchObject({ code: 'hold_withdrawn' })
  expect(client.interrupts).toEqual([])
  const again = await aClient(version, server, { threadId: 't-1', agent: 'agent/default/connect' }).run()
  if (version === '1.0.0') expect(finishOf(again).outcome).toEqual({ type: 'cancelled' })
  else expect(errorOf(again)).toMatchObject({ code: 'cancelled', message: expect.stringContaining('ana') })
  expect(await project.effects()).toEqual([])
})

test.for(VERSIONS)(
  'a run that fails after an approval tells why, and a client of %s can speak again',
  async version => {
    const fails = { error: { message: 'no such model', retryable: false } }
    await using project = await aProject({ script: [script[0], fails, 'Here again.'], policy })
    await using server = await aServer(project)
    const client = aClient(version, server)
    await client.say('deploy')
    const [{ id }] = client.interrupts
    const failed = await client.resume({ [id]: approve() })
    expect(errorOf(failed)).toMatchObject({ message: expect.stringContaining('no such model') })
    expect(failed.types.at(-1)).toBe('RUN_ERROR')
    expect(client.interrupts).toEqual([])
  },
)

test.for(VERSIONS)('a client of %s whose stream is cut loses nothing, and the run never noticed', async version => {
  await using project = await aProject({ script, policy: { default: 'auto' } })
  await using server = await aServer(project)
  for (const cut of [1, 2, 4, 6]) {
    const client = aClient(version, server)
    let seen = 0
    client.agent.addMessage({ id: 'u1', role: 'user', content: 'deploy' })
    await client.agent
      .runAgent({}, { onEvent: () => (++seen === cut ? client.agent.abortRun() : undefined) })
      .catch(() => {})
    const told = await client.run()
    expect(finishOf(told)).toMatchObject({ outcome: { type: 'success' }, result: 'Deployed.' })
    expect(client.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'deploy'],
      ['assistant', 'I will deploy.'],
      ['tool', expect.any(String)],
      ['assistant', 'Deployed.'],
    ])
  }
  expect(await project.effects()).toEqual(['applied', 'applied', 'applied', 'applied'])
})

test('roles: a viewer looks, a decider answers, an operator speaks, and a refusal has a document', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const secret = async (name: string) => (await project.holdpoint('tokens', 'add', name, '--role', name)).stdout.trim()
  const [viewer, decider] = [await secret('viewer'), await secret('decider')]
  const owner = aClient('1.0.0', server, { threadId: 't-1' })
  await owner.say('deploy')
  const [{ id }] = owner.interrupts
  await expect(aClient('1.0.0', server, { threadId: 't-2', token: viewer }).say('hi')).rejects.toMatchObject({
    status: 403,
    payload: { code: 'role_not_sufficient' },
  })
  await expect(
    aClient('1.0.0', server, { threadId: 't-1', token: viewer }).resume({ [id]: approve() }),
  ).rejects.toMatchObject({ status: 403 })
  const seen = await aClient('1.0.0', server, {
    threadId: 't-1',
    token: viewer,
    agent: 'agent/default/connect',
  }).run()
  expect(finishOf(seen).outcome.type).toBe('interrupt')
  const answered = await aClient('1.0.0', server, { threadId: 't-1', token: decider }).resume({ [id]: approve() })
  expect(finishOf(answered).outcome).toEqual({ type: 'success' })
  await expect(aClient('1.0.0', server, { token: 'not-a-token-of-this-server' }).say('hi')).rejects.toMatchObject({
    status: 401,
    payload: { code: 'invalid_token' },
  })
  const { json } = await server.send('/v1/runs')
  await doneRun(server, json.runs[0].run_id)
})

test.for([
  ['no thread', { threadId: '' }],
  ['a broken resume', { resume: [{ interruptId: 'hold_1', status: 'maybe' }] }],
  ['messages without ids', { messages: [{ role: 'user', content: 'hi' }] }],
  ['tools without names', { tools: [{ description: 'x' }] }],
] as const)('%s is refused with its place, and nothing is begun', async ([, part]) => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project, '--no-work')
  const body = { threadId: 't-1', runId: 'r-1', messages: [{ id: 'u1', role: 'user', content: 'x' }], ...part }
  const refused = await server.send('/ag-ui/default', { body })
  expect(refused).toMatchObject({ status: 422, json: { code: 'invalid_body' } })
  expect((await server.send('/v1/runs')).json.runs).toEqual([])
})
