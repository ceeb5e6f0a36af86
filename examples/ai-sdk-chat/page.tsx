import { useChat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  getToolName,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import { type FormEvent, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

type Part = UIMessage['parts'][number]
type Chat = ReturnType<typeof useChat>

/** What Holdpoint says of a hold beside the approval: `data-hold`. */
interface Hold {
  readonly tool_call_id: string
  readonly message: string
  readonly choices: readonly string[] | null
  readonly decision: { readonly verdict: string; readonly decided_by: string } | null
}

function ChatPage({ id, messages, seq }: { id: string; messages: UIMessage[]; seq: number }) {
  const chat = useChat({
    id,
    messages,
    // After a reload, go on with the stream of a turn that is under way.
    resume: true,
    transport: new DefaultChatTransport({
      api: '/api/chat',
      prepareReconnectToStreamRequest: () => ({ api: `/api/chat/${encodeURIComponent(id)}/stream?since=${seq}` }),
      // The server knows what was said before.
      prepareSendMessagesRequest: ({ messages, ...request }) => ({
        body: {
          ...request.body,
          id,
          trigger: request.trigger,
          messageId: request.messageId,
          messages: messages.slice(-2),
        },
      }),
    }),
    sendAutomaticallyWhen: state =>
      lastAssistantMessageIsCompleteWithApprovalResponses(state) || lastAssistantMessageIsCompleteWithToolCalls(state),
  })
  const send = (event: FormEvent<HTMLFormElement>) => {
    void chat.sendMessage({ text: answerOf(event) })
  }
  return (
    <>
      {chat.messages.map(message => (
        <article key={message.id} aria-label={message.role}>
          {message.parts.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts are added at the end, and stay
            <PartView key={index} part={part} hold={holdOf(message, part)} chat={chat} />
          ))}
        </article>
      ))}
      {chat.error && <p role="alert">{chat.error.message}</p>}
      <form onSubmit={send}>
        <input name="answer" aria-label="Message" placeholder="Write a greeting." />
        <button type="submit">Send</button>
      </form>
    </>
  )
}

function PartView({ part, hold, chat }: { part: Part; hold: Hold | undefined; chat: Chat }) {
  if (part.type === 'text') return <p>{part.text}</p>
  if (!isToolUIPart(part)) return null
  const { toolCallId, state } = part
  const tool = getToolName(part)
  if (state === 'approval-requested' && !hold?.decision) {
    const decide = (approved: boolean) => chat.addToolApprovalResponse({ id: part.approval.id, approved })
    return (
      <section aria-label={`Approve ${tool}`}>
        <p>{hold?.message}</p>
        <pre>{JSON.stringify(part.input, null, 2)}</pre>
        <button type="button" onClick={() => decide(true)}>
          Approve
        </button>{' '}
        <button type="button" onClick={() => decide(false)}>
          Reject
        </button>
      </section>
    )
  }
  if (state === 'input-available' && tool === 'ask_human') {
    const answer = (event: FormEvent<HTMLFormElement>) => {
      void chat.addToolOutput({ tool, toolCallId, output: answerOf(event) })
    }
    return (
      <form onSubmit={answer} aria-label="Answer">
        <label>
          {hold?.message} <input name="answer" />
        </label>
        <button type="submit">Answer</button>
      </form>
    )
  }
  return (
    <p>
      <code>{tool}</code>: {state}
      {hold?.decision && ` (${hold.decision.decided_by}: ${hold.decision.verdict})`}
    </p>
  )
}

function holdOf(message: UIMessage, part: Part): Hold | undefined {
  if (!isToolUIPart(part)) return undefined
  const holds = message.parts.flatMap(({ type, ...rest }) =>
    type === 'data-hold' ? [(rest as { data: Hold }).data] : [],
  )
  return holds.findLast(({ tool_call_id }) => tool_call_id === part.toolCallId)
}

function answerOf(event: FormEvent<HTMLFormElement>): string {
  event.preventDefault()
  const form = event.currentTarget
  const text = String(new FormData(form).get('answer'))
  form.reset()
  return text
}

// The id of the chat is in the address, so a reload, or another person, finds it again.
location.hash ||= `chat-${crypto.randomUUID()}`
const id = location.hash.slice(1)
const shown = await (await fetch(`/api/chat/${encodeURIComponent(id)}/messages`)).json()
createRoot(document.getElementById('chat') as HTMLElement).render(
  <StrictMode>
    <ChatPage id={id} messages={shown.messages} seq={shown.seq} />
  </StrictMode>,
)
