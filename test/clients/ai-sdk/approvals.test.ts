import { describe, expect, test } from 'vitest'
import { aProject, command, effect } from '../../scenarios/project.ts'
import { aServer } from '../../scenarios/server/server-process.ts'
import { aChat, messagesOf, settled, VERSIONS } from './chat-client.ts'

const policy = { default: 'prompt' }

describe.each(VERSIONS)('$name', version => {
  test('an approval in the page runs the call once, in one message, with one more request', async () => {
    const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']
    await using project = await aProject({ script, policy })
    await using server = await aServer(project)
    const client = aChat(version, server)
    await client.chat.sendMessage({ text: 'deploy' })
    await settled(client)
    expect(client.errors).toEqual([])
    expect(client.finishes).toMatchObject([{ finishReason: 'tool-calls' }])
    expect(client.tools()).toMatchObject([
      { type: 'tool-run_command', toolCallId: 'tc_1', state: 'approval-requested', providerExecuted: true },
    ])
    expect(client.holds()).toMatchObject([{ data: { kind: 'approval', status: 'open', tool_call_id: 'tc_1' } }])
    expect(await project.effects()).toEqual([])

    const [{ approval }] = client.tools()
    await client.chat.addToolApprovalResponse({ id: approval.id, approved: true })
    await settled(client)
    expect(client.errors).toEqual([])
    expect(client.posts).toHaveLength(2)
    expect(client.chat.messages).toHaveLength(2)
    expect(client.tools()).toMatchObject([{ state: 'output-available', approval: { approved: true } }])
    expect(client.text()).toBe('I will deploy.|Deployed.')
    expect(client.holds()).toMatchObject([{ data: { status: 'decided', decision: { decided_by: 'ana' } } }])
    expect(client.toolCalls).toEqual([])
    expect(await project.effects()).toEqual(['applied'])
  })

  test('P5: a rejection is a result that the model sees with its reason', async () => {
    const script = [{ calls: [effect('tc_1', 'applied')] }, 'Then not.']
    await using project = await aProject({ script, policy })
    await using server = await aServer(project)
    const client = aChat(version, server)
    await client.chat.sendMessage({ text: 'deploy' })
    await settled(client)
    await client.chat.addToolApprovalResponse({ id: client.tools()[0].approval.id, approved: false, reason: 'not now' })
    await settled(client)
    expect(client.errors).toEqual([])
    expect(client.posts).toHaveLength(2)
    expect(client.tools()).toMatchObject([{ state: 'output-denied', approval: { approved: false, reason: 'not now' } }])
    expect(client.text()).toBe('Then not.')
    expect(await project.effects()).toEqual([])
    const { thread_id } = await messagesOf(server, client.chat.id)
    const model = await server.send(`/v1/threads/${thread_id}/messages?view=model`)
    expect(model.json.messages[2].content).toBe('TOOL_CALL_REJECTED: not now')
  })

  test('of several calls each gets its own answer, and they are sent together', async () => {
    const calls = [effect('tc_1', 'one'), effect('tc_2', 'two'), command('tc_3', 'echo free')]
    const rules = [{ tool: 'run_command', match: { command: 'echo free' }, policy: 'auto' }]
    await using project = await aProject({ script: [{ calls }, 'Done.'], policy: { ...policy, rules } })
    await using server = await aServer(project)
    const client = aChat(version, server)
    await client.chat.sendMessage({ text: 'go' })
    await settled(client)
    const [one, two] = client.tools()
    await client.chat.addToolApprovalResponse({ id: one.approval.id, approved: true })
    await settled(client)
    expect(client.posts).toHaveLength(1)
    await client.chat.addToolApprovalResponse({ id: two.approval.id, approved: false })
    await settled(client)
    expect(client.errors).toEqual([])
    expect(client.posts).toHaveLength(2)
    expect(client.tools().map(({ state }: { state: string }) => state)).toEqual([
      ...['output-available', 'output-denied', 'output-available'],
    ])
    expect(client.text()).toBe('Done.')
    expect(await project.effects()).toEqual(['one'])
  })

  test('P2: an answer that is sent alone starts its call at once, and the others stay open', async () => {
    const calls = [effect('tc_1', 'one'), effect('tc_2', 'two')]
    await using project = await aProject({ script: [{ calls }, 'Done.'], policy })
    await using server = await aServer(project)
    const client = aChat(version, server)
    await client.chat.sendMessage({ text: 'go' })
    await settled(client)
    const [one, two] = client.tools()
    await client.chat.addToolApprovalResponse({ id: one.approval.id, approved: true })
    await client.chat.sendMessage()
    await settled(client)
    expect(client.errors).toEqual([])
    expect(client.posts).toHaveLength(2)
    expect(client.tools()).toMatchObject([{ state: 'output-available' }, { state: 'approval-requested' }])
    expect(client.holds()).toMatchObject([{ data: { status: 'decided' } }, { data: { status: 'open' } }])
    await client.chat.addToolApprovalResponse({ id: two.approval.id, approved: true })
    await settled(client)
    expect(client.errors).toEqual([])
    expect(client.posts).toHaveLength(3)
    expect(client.tools()).toMatchObject([{ state: 'output-available' }, { state: 'output-available' }])
    expect(client.text()).toBe('Done.')
    expect(await project.effects()).toEqual(['one', 'two'])
  })
})
