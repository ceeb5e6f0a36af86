/** The official clients, in both versions, against a server of their own process. */
import type { Project } from '../../scenarios/project.ts'
import type { ServerProcess } from '../../scenarios/server/server-process.ts'
import { TOKEN } from '../../scenarios/server/server-process.ts'

// biome-ignore lint/suspicious/noExplicitAny: two versions of one library, whose types differ
type Any = any

export interface Version {
  readonly name: string
  readonly ai: Any
  readonly react: Any
}

export const VERSIONS: readonly Version[] = [
  { name: 'ai 7', ai: await import('ai'), react: await import('@ai-sdk/react') },
  { name: 'ai 6', ai: await import('ai-6'), react: await import('@ai-sdk/react-3') },
]

export interface ChatOptions {
  readonly id?: string
  readonly token?: string
  readonly messages?: Any[]
  /** Sent with every message. */
  readonly body?: object
  /** Answers are sent by themselves. Default: true. */
  readonly sends?: boolean
  readonly fetch?: typeof fetch
}

/** A chat as a page has it, with what it sent and heard. */
export interface ChatClient {
  readonly chat: Any
  /** The bodies of its POSTs. */
  readonly posts: Any[]
  readonly errors: string[]
  readonly toolCalls: string[]
  readonly finishes: Any[]
  /** The last message's parts of tools. */
  tools(): Any[]
  text(): string
  /** The data of its holds, in all messages. */
  holds(): Any[]
  resume(): Promise<void>
}

let chats = 0

export function aChat({ ai, react }: Version, server: ServerProcess, options: ChatOptions = {}): ChatClient {
  chats += 1
  const { id = `chat-${chats}`, token = TOKEN, messages, body, sends = true } = options
  const [posts, errors, toolCalls, finishes]: [Any[], string[], string[], Any[]] = [[], [], [], []]
  const send = options.fetch ?? fetch
  const counted: typeof fetch = async (url, init) => {
    if (init?.method === 'POST') posts.push(JSON.parse(String(init.body)))
    // A loop must not outlive its test.
    if (posts.length > MOST_POSTS) throw new TypeError('too many posts')
    return send(url, init)
  }
  const chat = new react.Chat({
    ...{ id, messages },
    transport: new ai.DefaultChatTransport({
      api: `${server.url}/api/chat`,
      headers: { authorization: `Bearer ${token}` },
      fetch: counted,
      body,
    }),
    sendAutomaticallyWhen: (state: Any) =>
      sends &&
      (ai.lastAssistantMessageIsCompleteWithApprovalResponses(state) ||
        ai.lastAssistantMessageIsCompleteWithToolCalls(state)),
    onError: (error: Error) => void errors.push(error.message),
    onToolCall: ({ toolCall }: Any) => void toolCalls.push(toolCall.toolCallId),
    onFinish: (finish: Any) => void finishes.push(finish),
  })
  const last = () => chat.messages.at(-1)
  return {
    ...{ chat, posts, errors, toolCalls, finishes },
    tools: () => last().parts.filter(({ type }: Any) => type.startsWith('tool-')),
    text: () => textOf(last()),
    holds: () => chat.messages.flatMap(({ parts }: Any) => parts.filter(({ type }: Any) => type === 'data-hold')),
    resume: () => chat.resumeStream(),
  }
}

const MOST_POSTS = 12

export function textOf({ parts }: Any): string {
  return parts.flatMap(({ type, text }: Any) => (type === 'text' ? [text] : [])).join('|')
}

/** What a page gets before it connects. */
export async function messagesOf(server: ServerProcess, id: string): Promise<Any> {
  return (await server.send(`/api/chat/${id}/messages`)).json
}

/** Waits until the chat has come to rest. */
export async function settled({ chat }: ChatClient): Promise<void> {
  let calm = 0
  while (calm < CALM) {
    await new Promise(resolve => setTimeout(resolve, 20))
    calm = chat.status === 'ready' || chat.status === 'error' ? calm + 1 : 0
  }
}

/** Looks without a change: an automatic request starts within them. */
const CALM = 6

export async function until<T>(look: () => T | Promise<T>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found) return found
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

/** The secret of a new token. */
export async function tokenFor(project: Project, name: string, role: string): Promise<string> {
  return (await project.holdpoint('tokens', 'add', name, '--role', role)).stdout.trim()
}
