/** A page as CopilotKit's users wrote it before version 2: a tool of its own, by `renderAndWaitForResponse`. */
import { CopilotKit, useCopilotAction } from '@copilotkit/react-core'
import { CopilotChat } from '@copilotkit/react-core/v2'
import { createRoot } from 'react-dom/client'

function Environment() {
  useCopilotAction({
    name: 'pickEnvironment',
    description: 'Asks the user for the environment',
    parameters: [{ name: 'among', type: 'string[]' }],
    renderAndWaitForResponse: ({ respond, result }) => (
      <section>
        {respond ? (
          <button type="button" onClick={() => respond('staging')}>
            staging
          </button>
        ) : (
          `picked ${result}`
        )}
      </section>
    ),
  })
  return <CopilotChat agentId="default" threadId="older" />
}

createRoot(document.querySelector('#chat') as HTMLElement).render(
  <CopilotKit runtimeUrl="/ag-ui" useSingleEndpoint={false} showDevConsole={false}>
    <Environment />
  </CopilotKit>,
)
