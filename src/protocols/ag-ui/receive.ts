/** From a request of a client to verbs of the face. It takes from a body a message or answers, and nothing else. */
import { RefusedError } from '../../core/errors.ts'
import { includesRole, type Role } from '../../core/people/role.ts'
import { type Caller, signerOf } from '../http/gate.ts'
import type { Problem } from '../http/problem.ts'
import { threadOfChat } from '../turns/chat-thread.ts'
import { type Conversation, conversationOf } from '../turns/conversation.ts'
import { type AgUiSite, USUAL_AGENT } from './ag-ui-site.ts'
import { answersSomething, refuseUncovered, resume } from './resume.ts'
import type { PostedMessage, RunInput } from './run-input.ts'
import { begin, say } from './say.ts'
import { type Waiting, waitingIn } from './waiting.ts'

export interface RunRequest {
  readonly agent: string
  readonly input: RunInput
  readonly caller: Caller
}

/** The outcome of a request. */
export interface Received {
  /** As the client knows it: before the request. `null`: there is no such thread. */
  readonly conversation: Conversation | null
  /** The newest event of the thread afterwards: what the client is told goes at least so far. */
  readonly seq: number
  /** Why nothing was done; `null` if it was. */
  readonly refusal: RefusedError | null
}

/** A problem if the caller's role does not suffice. */
export async function receive(site: AgUiSite, request: RunRequest): Promise<Received | Problem> {
  const threadId = threadOfChat(request.input.threadId)
  const conversation = await conversationIn(site, threadId)
  const waiting = await waitingIn(site, threadId, request.input)
  const wish = wishOf(request.input, waiting)
  if (!includesRole(request.caller.role, wish.role)) return otherRole(request.caller, wish.role)
  const refusal = await refusalOf(() => wish.carryOut(site, { ...request, threadId, conversation, waiting }))
  // Another request began the thread meanwhile, perhaps with the same message.
  if (refusal?.code === 'superseded' && !conversation) return receive(site, request)
  return refusal ? unchanged(site, threadId, refusal) : done(site, threadId, conversation)
}

async function done(site: AgUiSite, threadId: string, conversation: Conversation | null): Promise<Received> {
  const seq = await site.holdpoint.newestSeq(threadId)
  return { conversation: conversation ?? conversationOf(threadId, []), seq, refusal: null }
}

/** As the thread stands by now: another request may have changed it. */
async function unchanged(site: AgUiSite, threadId: string, refusal: RefusedError): Promise<Received> {
  const conversation = await conversationIn(site, threadId)
  return { conversation, seq: conversation?.thread.seq ?? 0, refusal }
}

/** The conversation as it stands; `null` if there is none. */
export async function conversationIn({ holdpoint }: AgUiSite, threadId: string): Promise<Conversation | null> {
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
  carryOut(site: AgUiSite, scene: Scene): Promise<void>
}

const ANSWERS: Wish = {
  role: 'decider',
  carryOut: ({ holdpoint }, { threadId, input, waiting, caller }) =>
    resume(holdpoint, { threadId, input, waiting, by: signerOf(caller) }),
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
    carryOut: async (site, { threadId, conversation, waiting, input, agent, caller }) => {
      const said = { threadId, message, tools: input.tools, author: caller.name }
      if (!conversation) return begin(site, agent, said)
      refuseOtherAgent(conversation, agent)
      refuseUncovered(waiting, input)
      await say(site, said, { conversation, waiting })
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

/** An agent that is asked for by its name goes on with its own conversations alone. */
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
