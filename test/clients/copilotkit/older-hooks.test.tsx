import '../dom.ts'
import { CopilotKit, useCopilotAction } from '@copilotkit/react-core'
import { useAgent, useCopilotKit, useRenderToolCall } from '@copilotkit/react-core/v2'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { aProject } from '../../scenarios/project.ts'
import { aServer, TOKEN } from '../../scenarios/server/server-process.ts'

afterEach(cleanup)
const WAIT = { timeout: 10_000 }

function Chat() {
  const { agent } = useAgent()
  const { copilotkit } = useCopilotKit()
  const renderToolCall = useRenderToolCall()
  useCopilotAction({
    name: 'pickEnvironment',
    description: 'Asks the user for the environment',
    parameters: [{ name: 'among', type: 'string[]' }],
    renderAndWaitForResponse: ({ respond }) => (
      <button type="button" onClick={() => respond?.('staging')}>
        staging
      </button>
    ),
  })
  const say = async () => {
    agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: 'deploy' })
    await copilotkit.runAgent({ agent })
  }
  return (
    <div>
      {agent.messages.map(message => (
        <div key={message.id}>
          {message.role}: {String(message.content ?? '')}
          {message.role === 'assistant' &&
            message.toolCalls?.map(toolCall => <div key={toolCall.id}>{renderToolCall({ toolCall } as never)}</div>)}
        </div>
      ))}
      {copilotkit.runtimeConnectionStatus === 'connected' && (
        <button type="button" onClick={() => void say()}>
          say deploy
        </button>
      )}
    </div>
  )
}

test('CopilotKit: renderAndWaitForResponse answers a call of a tool that the page alone defines', async () => {
  const calls = [{ id: 'pick_1', name: 'pickEnvironment', args: { among: ['staging'] } }]
  await using project = await aProject({ script: [{ calls }, 'To staging then.'] })
  await using server = await aServer(project)
  const headers = { authorization: `Bearer ${TOKEN}` }
  render(
    <CopilotKit runtimeUrl={`${server.url}/ag-ui`} headers={headers} useSingleEndpoint={false} showDevConsole={false}>
      <Chat />
    </CopilotKit>,
  )
  fireEvent.click(await screen.findByText('say deploy', {}, WAIT))
  fireEvent.click(await screen.findByText('staging', {}, WAIT))
  await screen.findByText(/assistant: To staging then\./, {}, WAIT)
  const { json } = await server.send('/v1/holds?kind=client_tool&status=decided')
  expect(json.holds).toMatchObject([{ tool: 'pickEnvironment', decision: { value: 'staging' } }])
})
