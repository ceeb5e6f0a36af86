import { describe, expect, test } from 'vitest'
import { aProject, effect } from '../../scenarios/project.ts'
import { aServer } from '../../scenarios/server/server-process.ts'
import { aChat, settled, VERSIONS } from './chat-client.ts'

const policy = { default: 'prompt', tools: { ask_human: 'auto' } }
const ask = { id: 'tc_1', name: 'ask_human', args: { question: 'Which region?' } }

const AGENT = `import { defineAgent } from 'holdpoint'
export default defineAgent({
  name: 'forecaster',
  tools: {
    weather: {
      description: 'Tells the weather',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      outputSchema: { type: 'object', properties: { sky: { type: 'string' } }, required: ['sky'] },
    },
  },
})
`

const SHIPPER = `import { defineAgent, defineTool } from 'holdpoint'
export default defineAgent({
  name: 'shipper',
  tools: [defineTool({
    name: 'ship',
    inputSchema: { type: 'object' },
    execute: (_args, { suspend, decision }) => decision ? 'to ' + decision.value : suspend({ kind: 'question', message: 'Where to?' }),
  })],
})
`

describe.each(VERSIONS)('$name', version => {
  test('a question is a tool of the page, whose answer goes on with the run', async () => {
    await using project = await aProject({ script: [{ calls: [ask] }, 'Rome it is.'], policy })
    await using server = await aServer(project)
    const client = aChat(version, server)
    await client.chat.sendMessage({ text: 'go' })
    await settled(client)
    expect(client.tools()).toMatchObject([{ type: 'tool-ask_human', state: 'input-available', input: ask.args }])
    expect(client.toolCalls).toEqual(['tc_1'])
    expect(client.holds()).toMatchObject([{ data: { kind: 'question', message: 'Which region?' } }])
    await client.chat.addToolOutput({ tool: 'ask_human', toolCallId: 'tc_1', output: 'Rome' })
    await settled(client)
    expect(client.errors).toEqual([])
    expect(client.posts).toHaveLength(2)
    expect(client.tools()).toMatchObject([{ state: 'output-available', output: 'Rome' }])
    expect(client.text()).toBe('Rome it is.')
    expect(client.toolCalls).toEqual(['tc_1'])
  })

  test('a tool of the server that asks by `suspend` is answered by the page, and runs again with the answer', async () => {
    const files = { '.holdpoint/agents/shipper.mjs': SHIPPER }
    const script = [{ calls: [{ id: 'tc_1', name: 'ship', args: {} }] }, 'Shipped.']
    await using project = await aProject({ script, files, policy: { default: 'auto' } })
    await project.holdpoint('trust', '--yes')
    await using server = await aServer(project)
    const client = aChat(version, server, { body: { agent: 'shipper' } })
    await client.chat.sendMessage({ text: 'go' })
    await settled(client)
    expect(client.tools()).toMatchObject([{ type: 'tool-ship', state: 'input-available', providerExecuted: false }])
    await client.chat.addToolOutput({ tool: 'ship', toolCallId: 'tc_1', output: 'eu' })
    await settled(client)
    expect(client.errors).toEqual([])
    expect(client.posts).toHaveLength(2)
    expect(client.text()).toBe('Shipped.')
  })

  test('a question that is not answered is told to the model, and a question beside an approval waits for both', async () => {
    const calls = [ask, effect('tc_2', 'applied')]
    await using project = await aProject({ script: [{ calls }, 'So be it.'], policy })
    await using server = await aServer(project)
    const client = aChat(version, server)
    await client.chat.sendMessage({ text: 'go' })
    await settled(client)
    const [, held] = client.tools()
    await client.chat.addToolApprovalResponse({ id: held.approval.id, approved: true })
    await settled(client)
    expect(client.posts).toHaveLength(1)
    const closed = { tool: 'ask_human', toolCallId: 'tc_1', state: 'output-error', errorText: 'closed the form' }
    await client.chat.addToolOutput(closed)
    await settled(client)
    expect(client.errors).toEqual([])
    expect(client.tools()).toMatchObject([
      { state: 'output-error', errorText: 'closed the form' },
      { state: 'output-available' },
    ])
    expect(client.text()).toBe('So be it.')
    expect(await project.effects()).toEqual(['applied'])
  })

  test('a run that ends with the answer does not make the page post again', async () => {
    const files = {
      '.holdpoint/agents/brief.md':
        '---\ntools: [ask_human]\nstop:\n  - type: max_rounds\n    rounds: 1\n---\n\nBe brief.\n',
    }
    await using project = await aProject({ script: [{ calls: [ask] }, 'Never said.'], policy, files })
    await using server = await aServer(project)
    const client = aChat(version, server, { body: { agent: 'brief' } })
    await client.chat.sendMessage({ text: 'go' })
    await settled(client)
    expect(client.errors).toEqual([])
    await client.chat.addToolOutput({ tool: 'ask_human', toolCallId: 'tc_1', output: 'Rome' })
    await settled(client)
    expect(client.posts).toHaveLength(2)
    expect(client.errors).toEqual([])
    expect(client.finishes.at(-1)).toMatchObject({ finishReason: 'other' })
  })

  test('a tool without a body runs in the page, and a result that does not fit is asked for again', async () => {
    const weather = { id: 'tc_1', name: 'weather', args: { city: 'Rome' } }
    const files = { '.holdpoint/agents/forecaster.mjs': AGENT }
    await using project = await aProject({
      script: [{ calls: [weather] }, 'Blue.'],
      files,
      policy: { default: 'auto' },
    })
    await project.holdpoint('trust', '--yes')
    await using server = await aServer(project)
    const client = aChat(version, server, { body: { agent: 'forecaster' } })
    await client.chat.sendMessage({ text: 'go' })
    await settled(client)
    expect(client.errors).toEqual([])
    expect(client.toolCalls).toEqual(['tc_1'])
    await client.chat.addToolOutput({ tool: 'weather', toolCallId: 'tc_1', output: { cloud: true } })
    await settled(client)
    expect(client.posts).toHaveLength(2)
    expect(client.errors).toEqual([expect.stringContaining('sky')])
    expect(client.tools()).toMatchObject([{ state: 'input-available', input: weather.args }])
    await client.chat.addToolOutput({ tool: 'weather', toolCallId: 'tc_1', output: { sky: 'blue' } })
    await settled(client)
    expect(client.errors).toHaveLength(1)
    expect(client.text()).toBe('Blue.')
  })
})
