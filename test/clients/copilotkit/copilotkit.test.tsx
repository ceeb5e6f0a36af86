import '../dom.ts'
import {
  CopilotChatConfigurationProvider,
  CopilotKitProvider,
  useAgent,
  useCopilotKit,
  useHumanInTheLoop,
  useInterrupt,
  useRenderToolCall,
} from '@copilotkit/react-core/v2'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { useEffect, useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { aProject, effect } from '../../scenarios/project.ts'
import { aServer, type ServerProcess, TOKEN } from '../../scenarios/server/server-process.ts'
import { aRuntime } from './runtime.ts'

afterEach(cleanup)

const WAIT = { timeout: 10_000 }
/** The codes that pages were told of. */
const errors: string[] = []

/** A chat without looks: what is said, what is asked, and buttons. */
function Chat() {
  const { agent } = useAgent()
  const { copilotkit } = useCopilotKit()
  const renderToolCall = useRenderToolCall()
  useHumanInTheLoop({
    name: 'pickEnvironment',
    description: 'Asks the user for the environment',
    parameters: z.object({ among: z.array(z.string()) }),
    render: ({ status, respond, result }) => (
      <div>
        <span>pick: {status}</span>
        {respond && (
          <button type="button" onClick={() => respond('staging')}>
            staging
          </button>
        )}
        {result && <span>picked {String(result)}</span>}
      </div>
    ),
  })
  const asked = useInterrupt({
    renderInChat: false,
    render: ({ interrupts, resolve, cancel }) => (
      <ul>
        {interrupts.map(({ id, message, toolCallId }) => (
          <li key={id}>
            {message}
            <button type="button" onClick={() => resolve({ approved: true }, id)}>
              approve {toolCallId}
            </button>
            <button type="button" onClick={() => resolve({ approved: false, reason: 'no' }, id)}>
              deny {toolCallId}
            </button>
            <button type="button" onClick={() => cancel(id)}>
              cancel {toolCallId}
            </button>
          </li>
        ))}
      </ul>
    ),
  })
  // The click of a test can come between a first drawing and its effects; a tool is offered by its effect.
  const [ready, setReady] = useState<typeof agent>()
  useEffect(() => setReady(agent), [agent])
  const say = async (content: string) => {
    agent.addMessage({ id: crypto.randomUUID(), role: 'user', content })
    await copilotkit.runAgent({ agent })
  }
  return (
    <div>
      {agent.messages.map(message => (
        <div key={message.id}>
          {message.role}: {String(message.content ?? '')}
          {message.role === 'assistant' &&
            message.toolCalls?.map(toolCall => {
              const toolMessage = agent.messages.find(each => each.role === 'tool' && each.toolCallId === toolCall.id)
              return <div key={toolCall.id}>{renderToolCall({ toolCall, toolMessage: toolMessage as never })}</div>
            })}
        </div>
      ))}
      {asked}
      {copilotkit.runtimeConnectionStatus === 'connected' && ready === agent && (
        <button type="button" onClick={() => void say('deploy')}>
          say deploy
        </button>
      )}
      <button type="button" onClick={() => void copilotkit.connectAgent({ agent })}>
        connect
      </button>
    </div>
  )
}

interface Door {
  readonly runtimeUrl: string
  readonly headers: Record<string, string>
}

function open({ runtimeUrl, headers }: Door, threadId: string) {
  return render(
    <CopilotKitProvider
      runtimeUrl={runtimeUrl}
      headers={headers}
      onError={({ context }) => void errors.push(String(context['runtimeErrorCode']))}
    >
      <CopilotChatConfigurationProvider agentId="default" threadId={threadId}>
        <Chat />
      </CopilotChatConfigurationProvider>
    </CopilotKitProvider>,
  )
}

function directly(server: ServerProcess): Door & AsyncDisposable {
  const headers = { authorization: `Bearer ${TOKEN}` }
  return { runtimeUrl: `${server.url}/ag-ui`, headers, [Symbol.asyncDispose]: async () => {} }
}

const DOORS = { directly, 'by its runtime': aRuntime } as const
const WAYS = ['directly', 'by its runtime'] as const

const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']
const policy = { default: 'prompt' }

test.for(WAYS)('CopilotKit %s: useInterrupt shows what waits, and an approval goes on with the run', async way => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  await using door = await DOORS[way](server)
  open(door, 't-1')
  fireEvent.click(await screen.findByText('say deploy', {}, WAIT))
  fireEvent.click(await screen.findByText('approve tc_1', {}, WAIT))
  await screen.findByText(/assistant: Deployed\./, {}, WAIT)
  expect(await project.effects()).toEqual(['applied'])
  await waitFor(() => expect(screen.queryByText('approve tc_1')).toBeNull())
  // Its own message about the approval goes with the snapshot behind the last text.
  await waitFor(() => expect(screen.getAllByText(/^tool: /)).toHaveLength(1), WAIT)
  expect(screen.queryByText(/tool: .*approved/)).toBeNull()
})

test.for(WAYS)('CopilotKit %s: of two calls one is approved and one denied, in one answer', async way => {
  const calls = [effect('tc_1', 'one'), effect('tc_2', 'two')]
  await using project = await aProject({ script: [{ text: 'Both.', calls }, 'Deployed.'], policy })
  await using server = await aServer(project)
  await using door = await DOORS[way](server)
  open(door, 't-1')
  fireEvent.click(await screen.findByText('say deploy', {}, WAIT))
  fireEvent.click(await screen.findByText('approve tc_1', {}, WAIT))
  expect(await project.effects()).toEqual([])
  fireEvent.click(await screen.findByText('deny tc_2', {}, WAIT))
  await screen.findByText(/assistant: Deployed\./, {}, WAIT)
  expect(await project.effects()).toEqual(['one'])
  await screen.findByText(/tool: \{"denied":true,"reason":"no"\}/, {}, WAIT)
})

test.for(WAYS)('CopilotKit %s: useHumanInTheLoop answers a call of a tool that the page alone defines', async way => {
  const calls = [{ id: 'pick_1', name: 'pickEnvironment', args: { among: ['staging', 'production'] } }]
  await using project = await aProject({ script: [{ text: 'Which one?', calls }, 'To staging then.'], policy })
  await using server = await aServer(project)
  await using door = await DOORS[way](server)
  open(door, 't-1')
  fireEvent.click(await screen.findByText('say deploy', {}, WAIT))
  fireEvent.click(await screen.findByText('staging', {}, WAIT))
  await screen.findByText(/assistant: To staging then\./, {}, WAIT)
  await screen.findByText('picked staging', {}, WAIT)
  const { json } = await server.send('/v1/holds?kind=client_tool&status=decided')
  expect(json.holds).toMatchObject([{ tool: 'pickEnvironment', decision: { value: 'staging', decided_by: 'ana' } }])
})

test('CopilotKit directly: a page that is loaded anew shows what was said and what waits, and goes on', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const first = open(directly(server), 't-1')
  fireEvent.click(await screen.findByText('say deploy', {}, WAIT))
  await screen.findByText('approve tc_1', {}, WAIT)
  first.unmount()

  open(directly(server), 't-1')
  await screen.findByText('say deploy', {}, WAIT)
  fireEvent.click(screen.getByText('connect'))
  await screen.findByText('user: deploy', {}, WAIT)
  fireEvent.click(await screen.findByText('approve tc_1', {}, WAIT))
  await screen.findByText(/assistant: Deployed\./, {}, WAIT)
  expect(await project.effects()).toEqual(['applied'])
})

test('CopilotKit directly: what was decided in a shell is told, and the page is not stuck', async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  open(directly(server), 't-1')
  fireEvent.click(await screen.findByText('say deploy', {}, WAIT))
  await screen.findByText('approve tc_1', {}, WAIT)
  const [hold] = (await server.send('/v1/holds')).json.holds
  expect((await project.holdpoint('approve', hold.id)).exit).toBe(0)
  fireEvent.click(screen.getByText('deny tc_1'))
  await screen.findByText(/assistant: Deployed\./, {}, WAIT)
  await waitFor(() => expect(screen.queryByText('deny tc_1')).toBeNull(), WAIT)
  await waitFor(() => expect(errors).toContain('already_decided'), WAIT)
  expect(await project.effects()).toEqual(['applied'])
})
