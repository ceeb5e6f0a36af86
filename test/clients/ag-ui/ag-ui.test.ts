import { expect, test } from 'vitest'
import { aProject, effect } from '../../scenarios/project.ts'
import { aServer } from '../../scenarios/server/server-process.ts'
import { aClient, approve, errorOf, finishOf, VERSIONS } from './official-client.ts'

const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']
const policy = { default: 'prompt' }

test.for(VERSIONS)('P8: a client of %s streams a run, is asked, approves, and ends with the truth', async version => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const client = aClient(version, server)
  const asked = await client.say('deploy', 'u1')
  expect(asked.types[0]).toBe('RUN_STARTED')
  expect(asked.types.slice(-2)).toEqual(['MESSAGES_SNAPSHOT', 'RUN_FINISHED'])
  expect(asked.types).toEqual(
    expect.arrayContaining(['TEXT_MESSAGE_START', 'TEXT_MESSAGE_END', 'TOOL_CALL_START', 'TOOL_CALL_END']),
  )
  const [interrupt, ...more] = client.interrupts
  expect(more).toEqual([])
  expect(interrupt).toMatchObject({
    id: expect.stringMatching(/^hold_/),
    reason: 'tool_call',
    toolCallId: 'tc_1',
    message: expect.any(String),
    responseSchema: { required: ['approved'] },
    metadata: { kind: 'approval', tool: 'run_command', arguments: { command: 'echo applied >> effects.log' } },
  })
  expect(await project.effects()).toEqual([])

  const done = await client.resume({ [interrupt.id]: approve() })
  expect(finishOf(done)).toMatchObject({ outcome: { type: 'success' }, result: 'Deployed.' })
  expect(done.types).not.toContain('TOOL_CALL_START')
  expect(client.interrupts).toEqual([])
  expect(client.messages).toMatchObject([
    { id: 'u1', role: 'user', content: 'deploy' },
    { role: 'assistant', content: 'I will deploy.', toolCalls: [{ id: 'tc_1', function: { name: 'run_command' } }] },
    { role: 'tool', toolCallId: 'tc_1' },
    { role: 'assistant', content: 'Deployed.' },
  ])
  expect(await project.effects()).toEqual(['applied'])
})

test.for(VERSIONS)('a denial is a result that a client of %s and the model see, and nothing runs', async version => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const client = aClient(version, server)
  await client.say('deploy')
  const [{ id }] = client.interrupts
  await client.resume({ [id]: { status: 'resolved', payload: { approved: false, reason: 'not today' } } })
  const result = client.messages.find(({ role }) => role === 'tool')
  expect(JSON.parse(result.content)).toEqual({ denied: true, reason: 'not today' })
  expect(await project.effects()).toEqual([])
})

test.for(VERSIONS)('a client of %s that never read its answer finds the run finished', async version => {
  await using project = await aProject({ script, policy: { default: 'auto' } })
  await using server = await aServer(project)
  const client = aClient(version, server)
  const told = await client.say('deploy', 'u1')
  expect(finishOf(told).outcome).toEqual({ type: 'success' })
  // The same message again, as after a cut: nothing runs twice, and the client has each message once.
  const again = await client.run()
  expect(again.types).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED'])
  expect(client.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect(await project.effects()).toEqual(['applied'])
})

test.for(VERSIONS)(
  'P2: a resume of %s that is sent again changes nothing and is answered with the truth',
  async version => {
    await using project = await aProject({ script, policy })
    await using server = await aServer(project)
    const client = aClient(version, server, { threadId: 't-1' })
    await client.say('deploy')
    const [{ id }] = client.interrupts
    const answer = { [id]: approve() }
    await client.resume(answer)
    const again = await client.resume(answer)
    expect(again.types).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED'])
    expect(finishOf(again).outcome).toEqual({ type: 'success' })
    expect(client.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(await project.effects()).toEqual(['applied'])
  },
)

test.for(VERSIONS)('P2: a late resume of %s is told who was first, and its client is not stuck', async version => {
  await using project = await aProject({ script: [...script, 'You are welcome.'], policy })
  await using server = await aServer(project)
  const client = aClient(version, server)
  await client.say('deploy')
  const [{ id }] = client.interrupts
  expect((await project.holdpoint('reject', id, '--reason', 'not now')).exit).toBe(0)
  const late = await client.resume({ [id]: approve() })
  expect(errorOf(late)).toMatchObject({ code: 'already_decided', message: expect.stringContaining('ana') })
  expect(client.interrupts).toEqual([])
  expect(await project.effects()).toEqual([])
  const next = await client.say('thanks')
  expect(finishOf(next)).toMatchObject({ outcome: { type: 'success' }, result: 'You are welcome.' })
})

test.for(VERSIONS)('P1: a client of %s that forgot what is open is told so, and nothing is skipped', async version => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const first = aClient(version, server, { threadId: 't-1' })
  await first.say('deploy')
  const reloaded = aClient(version, server, { threadId: 't-1' })
  const told = await reloaded.say('and now?')
  expect(errorOf(told)).toMatchObject({ code: 'interrupt_pending' })
  expect(await project.effects()).toEqual([])
  const [{ id }] = first.interrupts
  const unknown = await aClient(version, server, { threadId: 't-1' }).resume({ hold_0000000000000000: approve() })
  expect(errorOf(unknown)).toMatchObject({ code: 'unknown_hold' })
  const broken = await aClient(version, server, { threadId: 't-1' }).resume({
    [id]: { status: 'resolved', payload: 'sure' },
  })
  expect(errorOf(broken)).toMatchObject({ code: 'invalid_answer' })
  const elsewhere = await aClient(version, server, { threadId: 't-2' }).resume({ [id]: approve() })
  expect(errorOf(elsewhere)).toMatchObject({ code: 'unknown_hold' })
  expect((await server.send('/v1/holds')).json.holds).toMatchObject([{ id, status: 'open' }])
})
