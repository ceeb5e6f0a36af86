import { CopilotChat, CopilotKitProvider, useHumanInTheLoop, useInterrupt } from '@copilotkit/react-core/v2'
import { type FormEvent, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { z } from 'zod'

/** A hold, as AG-UI has it. What AG-UI has no field for is in `metadata`. */
interface Interrupt {
  readonly id: string
  readonly reason: string
  readonly message?: string
  readonly metadata?: { readonly tool?: string; readonly arguments?: unknown }
}

interface Asked {
  readonly interrupt: Interrupt
  readonly answer: (payload: unknown) => void
}

function Approval({ interrupt, answer }: Asked) {
  return (
    <section aria-label={`Approve ${interrupt.metadata?.tool}`}>
      <p>{interrupt.message}</p>
      <pre>{JSON.stringify(interrupt.metadata?.arguments, null, 2)}</pre>
      <button type="button" onClick={() => answer({ approved: true })}>
        Approve
      </button>
      <button type="button" onClick={() => answer({ approved: false, reason: 'Not now.' })}>
        Reject
      </button>
    </section>
  )
}

function Question({ interrupt, answer }: Asked) {
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    answer(String(new FormData(event.currentTarget).get('answer')))
  }
  return (
    <form onSubmit={send}>
      <label>
        {interrupt.message} <input name="answer" />
      </label>
      <button type="submit">Answer</button>
    </form>
  )
}

/** Everything that waits for a person: the run goes on when each has its answer. */
function Holds() {
  useInterrupt({
    render: ({ interrupts, resolve }) => (
      <>
        {interrupts.map(interrupt => {
          const View = interrupt.reason === 'input_required' ? Question : Approval
          const answer = (payload: unknown) => void resolve(payload, interrupt.id)
          return <View key={interrupt.id} interrupt={interrupt as Interrupt} answer={answer} />
        })}
      </>
    ),
  })
  // A tool that this page alone has: the model is offered it with each message.
  useHumanInTheLoop({
    name: 'pickEnvironment',
    description: 'Asks the user for the environment of a deployment',
    parameters: z.object({ among: z.array(z.string()) }),
    render: ({ args, respond, result }) => (
      <section aria-label="Environment">
        {respond
          ? args.among.map(name => (
              <button key={name} type="button" onClick={() => respond(name)}>
                {name}
              </button>
            ))
          : `Environment: ${result ?? '…'}`}
      </section>
    ),
  })
  return null
}

// The id of the thread is in the address, so a reload, or another person, finds it again.
location.hash ||= `thread-${crypto.randomUUID()}`
const threadId = location.hash.slice(1)

createRoot(document.querySelector('#chat') as HTMLElement).render(
  <StrictMode>
    <CopilotKitProvider runtimeUrl="/ag-ui" useSingleEndpoint={false}>
      <Holds />
      <CopilotChat agentId="default" threadId={threadId} />
    </CopilotKitProvider>
  </StrictMode>,
)
