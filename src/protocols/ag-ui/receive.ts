/** From a request of a client to verbs of the face. It takes from a body a message or answers, and nothing else. */
import { RefusedError } from '../../core/errors.ts'
import type { Content } from '../../core/message/part.ts'
import { includesRole, type Role } from '../../core/people/role.ts'
import type { ClientTool } from '../../core/run/client-tool.ts'
import type { Profile } from '../../core/run/profile.ts'
import { isSameJson, type Json } from '../../core/text/json.ts'
import type { MessageInput } from '../../runtime/threads/send-message.ts'
import { type Caller, deciderOf } from '../http/gate.ts'
import type { Problem } from '../http/problem.ts'
import { threadOfChat } from '../turns/chat-thread.ts'
import { type Conversation, conversationOf, saidWith } from '../turns/conversation.ts'
import { type AgUiDeps, SURFACE, USUAL_AGENT } from './ag-ui-deps.ts'
import { contentIn } from './messages.ts'
import { answersSomething, refuseUncovered, resume } from './resume.ts'
import type { PostedMessage, RunInput } from './run-input.ts'
import { type Waiting, waitingIn } from './waiting.ts'

export interface RunRequest {
  readonly agent: string
  readonly input: RunInput
  readonly caller: Caller
}

/** The outcome of a request. */
export interface Received {
  /** The conversation as the client knows it: before the request. `null`: there is no such thread. */
  readonly conversation: Conversation | null
  /** The newest event of the thread after the request: the client is sent at least the events up to it. */
  readonly seq: number
  /** Why nothing was done; `null` if it was. */
  readonly refusal: RefusedError | null
}

/** A problem if the caller's role does not suffice. */
export async function receive(deps: AgUiDeps, request: RunRequest): Promise<Received | Problem> {
  const threadId = threadOfChat(request.input.threadId)
  const conversation = await conversationIn(deps, threadId)
  const waiting = await waitingIn(deps, threadId, request.input)
  const wish = wishOf(request.input, waiting)
  if (!includesRole(request.caller.role, wish.role)) return otherRole(request.caller, wish.role)
  const refusal = await refusalOf(() => wish.carryOut(deps, { ...request, threadId, conversation, waiting }))
  // Another request began the thread meanwhile, perhaps with the same message.
  if (refusal?.code === 'superseded' && !conversation) return receive(deps, request)
  return refusal ? unchanged(deps, threadId, refusal) : done(deps, threadId, conversation)
}

async function done(deps: AgUiDeps, threadId: string, conversation: Conversation | null): Promise<Received> {
  const seq = await deps.holdpoint.newestSeq(threadId)
  return { conversation: conversation ?? conversationOf(threadId, []), seq, refusal: null }
}

/** Reads the thread again: another request may have changed it. */
async function unchanged(deps: AgUiDeps, threadId: string, refusal: RefusedError): Promise<Received> {
  const conversation = await conversationIn(deps, threadId)
  return { conversation, seq: conversation?.thread.seq ?? 0, refusal }
}

/** The conversation as of now; `null` if there is none. */
export async function conversationIn({ holdpoint }: AgUiDeps, threadId: string): Promise<Conversation | null> {
  try {
    return conversationOf(threadId, await holdpoint.journal(threadId))
  } catch (thrown) {
    if (thrown instanceof RefusedError && thrown.code === 'unknown_session') return null
    throw thrown
  }
}

interface Scene extends RunRequest {
  readonly threadId: string
  readonly conversation: Conversation | null
  readonly waiting: Waiting
}

interface Wish {
  /** The least role that may. */
  readonly role: Role
  /** @throws RefusedError; then nothing was done. */
  carryOut(deps: AgUiDeps, scene: Scene): Promise<void>
}

const ANSWERS: Wish = {
  role: 'decider',
  carryOut: ({ holdpoint }, { threadId, input, waiting, caller }) =>
    resume(holdpoint, { threadId, input, waiting, by: deciderOf(caller) }),
}

const LOOKS: Wish = {
  role: 'viewer',
  carryOut: async (_, { conversation, waiting, input }) => {
    if (!conversation) throw nothingSaid()
    refuseUncovered(waiting, input)
  },
}

function saying(message: PostedMessage): Wish {
  return {
    role: 'operator',
    carryOut: async (deps, { threadId, conversation, waiting, input, agent, caller }) => {
      const said = { threadId, message, tools: input.tools, author: caller.name }
      if (!conversation) return begin(deps, agent, said)
      refuseOtherAgent(conversation, agent)
      refuseUncovered(waiting, input)
      await say(deps, said, { conversation, waiting })
    },
  }
}

function wishOf(input: RunInput, waiting: Waiting): Wish {
  if (answersSomething({ input, waiting })) return ANSWERS
  const last = input.messages.at(-1)
  return last?.role === 'user' ? saying(last) : LOOKS
}

async function refusalOf(carryOut: () => Promise<void>): Promise<RefusedError | null> {
  try {
    await carryOut()
    return null
  } catch (thrown) {
    if (thrown instanceof RefusedError) return thrown
    throw thrown
  }
}

/** A client that names an agent may continue only the conversations of that agent. */
function refuseOtherAgent({ thread: { run } }: Conversation, agent: string): void {
  const owner = run?.profile.agent
  if (agent === USUAL_AGENT || owner === undefined || owner === agent) return
  throw new RefusedError(
    'other_agent',
    `This conversation is one of the agent ${owner}, not of ${agent}. Nothing was done.`,
    {
      hint: 'Begin another thread with this agent.',
    },
  )
}

function nothingSaid(): RefusedError {
  return new RefusedError('nothing_said', 'There is no such thread, and the last message is none of the user.', {
    hint: 'Begin it with a message of the role user.',
  })
}

export function otherRole({ name, role }: Caller, wanted: Role): Problem {
  return {
    status: 403,
    code: 'role_not_sufficient',
    detail: `The token of ${name} has the role ${role}, and this takes the role ${wanted}.`,
    hint: 'Nothing was done. Ask for a token with that role.',
  }
}

interface Saying {
  readonly threadId: string
  readonly message: PostedMessage
  /** The tools that the client runs itself: the model is offered them, too. */
  readonly tools: readonly ClientTool[]
  /** The caller, who signs. */
  readonly author: string
}

/** Begins the thread with its first message. @throws RefusedError `superseded` if it was begun meanwhile */
async function begin(deps: AgUiDeps, agent: string, saying: Saying): Promise<void> {
  const profile = await deps.profileOf(agent === USUAL_AGENT ? null : agent)
  await start(deps, saying, { profile, seq: 0 })
}

/**
 * A message that is sent again counts once. A message in place of results that only its client could give supersedes
 * those calls; an approval is never skipped. @throws RefusedError
 */
async function say(deps: AgUiDeps, saying: Saying, scene: SpokenTo): Promise<void> {
  const { threadId, message, author } = saying
  const { conversation, waiting } = scene
  const { run, seq } = conversation.thread
  const isNew = saidWith(conversation, message.id) === null
  if (run?.termination && isNew && hasOtherTools(run.profile, saying))
    return start(deps, saying, { profile: run.profile, seq })
  const said: MessageInput = {
    ...worded(contentIn(message.content)),
    ...{ author, surface: SURFACE, inputId: message.id },
  }
  await deps.holdpoint.send(threadId, said, { whileWaiting: waiting.calls.length > 0 ? 'supersede' : 'reject' })
}

interface SpokenTo {
  readonly conversation: Conversation
  readonly waiting: Waiting
}

async function start(
  { holdpoint }: AgUiDeps,
  { threadId, message, tools, author }: Saying,
  { profile: { client_tools: _, ...profile }, seq }: { readonly profile: Profile; readonly seq: number },
): Promise<void> {
  await holdpoint.start({
    profile: { ...profile, ...(tools.length > 0 && { client_tools: tools }) },
    ...{ input: contentIn(message.content), inputId: message.id, author, surface: SURFACE },
    thread: { id: threadId, seq },
  })
}

function hasOtherTools({ client_tools = [] }: Profile, { tools }: Saying): boolean {
  return !isSameJson(client_tools as unknown as Json, tools as unknown as Json)
}

function worded(content: Content): { readonly text: string } | { readonly parts: Exclude<Content, string> } {
  return typeof content === 'string' ? { text: content } : { parts: content }
}
