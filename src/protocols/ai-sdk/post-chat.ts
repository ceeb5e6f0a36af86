/**
 * Takes a new message, or answers to open holds. Each is recorded first, and then the client receives what follows.
 */
import { RefusedError } from '../../core/errors.ts'
import { DUPLICATE_INPUT } from '../../core/journal/input.ts'
import { type Caller, signerOf } from '../http/gate.ts'
import type { Exchange } from '../http/route.ts'
import type { StreamPlace } from '../http/stream-places.ts'
import type { Turn } from '../turns/chat-message.ts'
import { threadOfChat } from '../turns/chat-thread.ts'
import { type Conversation, conversationOf, isAtRest, saidWith, turnWith } from '../turns/conversation.ts'
import { TurnTeller } from '../turns/tell-turn.ts'
import { type ChatDeps, findChat, requireRole, SURFACE, streamTurn } from './chat-deps.ts'
import { type ChatRequest, type PostedMessage, readChatRequest } from './chat-request.ts'
import { answersIn, foreignApprovals, knownIn } from './posted-parts.ts'
import type { Telling } from './turn-stream.ts'

type Asked<K extends ChatRequest['kind']> = Extract<ChatRequest, { kind: K }>

/** @throws RefusedError */
export async function postChat(deps: ChatDeps, exchange: Exchange): Promise<Response> {
  const request = readChatRequest(exchange.body)
  switch (request.kind) {
    case 'message':
      return takeMessage(deps, exchange, request)
    case 'answers':
      return takeAnswers(deps, exchange, request)
    case 'again':
      return tellAgain(deps, exchange, request)
  }
}

async function takeMessage(deps: ChatDeps, { caller, place }: Exchange, asked: Asked<'message'>): Promise<Response> {
  requireRole(caller, 'operator')
  const before = await findChat(deps, asked.chatId)
  if (before && asked.seen) await decide(deps, caller, { conversation: before, seen: asked.seen })
  await say(deps, caller, { asked, isNew: before === null })
  const conversation = before ?? conversationOf(threadOfChat(asked.chatId), [])
  const turnNow = () => {
    const said = saidWith(conversation, asked.id)
    return said?.turn_id ? turnWith(conversation, said.turn_id) : null
  }
  return told(deps, place, { conversation, turnNow, tellerFor: () => new TurnTeller() })
}

/** The conversation was read before this request wrote to it: the client receives at least the events up to now. */
async function told(deps: ChatDeps, place: StreamPlace, telling: Omit<Telling, 'seq'>): Promise<Response> {
  const seq = await deps.holdpoint.newestSeq(telling.conversation.thread.id)
  return streamTurn(deps, place, { ...telling, seq })
}

interface Saying {
  readonly asked: Asked<'message'>
  readonly isNew: boolean
}

/** If two requests begin a conversation at once, one starts it, and the other one adds to it. */
async function say(deps: ChatDeps, { name: author }: Caller, { asked, isNew }: Saying): Promise<void> {
  const { chatId, id: inputId, content, whileWaiting } = asked
  const signed = { author, surface: SURFACE, inputId }
  if (isNew && (await begin(deps, asked, signed))) return
  const said = typeof content === 'string' ? { text: content } : { parts: content }
  try {
    await deps.holdpoint.send(threadOfChat(chatId), { ...said, ...signed }, { whileWaiting })
  } catch (thrown) {
    throw thrown instanceof RefusedError && thrown.code === 'input_id_taken' ? editedMessage() : thrown
  }
}

/** False if another request was first. */
async function begin(
  { holdpoint, profileOf }: ChatDeps,
  { chatId, agent, content: input }: Asked<'message'>,
  signed: { readonly author: string; readonly surface: string; readonly inputId: string },
): Promise<boolean> {
  const profile = await profileOf(agent)
  try {
    await holdpoint.start({ profile, input, ...signed, thread: { id: threadOfChat(chatId), seq: 0 } })
    return true
  } catch (thrown) {
    if (isTaken(thrown)) return false
    throw thrown
  }
}

function isTaken(thrown: unknown): boolean {
  return thrown instanceof RefusedError && [DUPLICATE_INPUT, 'superseded'].includes(thrown.code)
}

async function takeAnswers(deps: ChatDeps, { caller, place }: Exchange, asked: Asked<'answers'>): Promise<Response> {
  const { chatId, seen } = asked
  const before = await findChat(deps, chatId)
  if (!before) throw unknownChat()
  if (!turnOf(before, seen)) throw unknownChat()
  const refusals = await decide(deps, caller, { conversation: before, seen })
  return told(deps, place, {
    ...{ conversation: before, turnNow: () => turnOf(before, seen), refusals },
    tellerFor: turn => new TurnTeller(knownIn(seen, turn)),
    foreign: turn => foreignApprovals(seen, turn),
  })
}

/** The turn that a client answers in; the newest one if the client names none that there is. */
function turnOf(conversation: Conversation, { id }: PostedMessage): Turn | null {
  return turnWith(conversation, id) ?? conversation.turn
}

interface Deciding {
  readonly conversation: Conversation
  readonly seen: PostedMessage
}

/** Records the answers to what is open. Resolves to the refusals that left a hold open. */
async function decide(
  { holdpoint }: ChatDeps,
  caller: Caller,
  { conversation, seen }: Deciding,
): Promise<readonly RefusedError[]> {
  const turn = turnOf(conversation, seen)
  const answers = turn ? answersIn(seen, turn) : []
  if (answers.length === 0) return []
  requireRole(caller, 'decider')
  const signed = { ...signerOf(caller), surface: SURFACE }
  const receipts = await holdpoint.decideMany(answers.map(answer => ({ ...answer, ...signed })))
  return receipts.flatMap(receipt =>
    receipt.outcome === 'refused' && receipt.hold?.status === 'open' ? [receipt.error] : [],
  )
}

/** Nothing that happened is undone. A turn that an error ended is tried again; any other one is sent again. */
async function tellAgain(deps: ChatDeps, { caller, place }: Exchange, asked: Asked<'again'>): Promise<Response> {
  requireRole(caller, 'operator')
  const before = await findChat(deps, asked.chatId)
  if (!before?.turn) throw unknownChat()
  if (isAtRest(before) && before.turn.termination) await goOn(deps, caller, before)
  return told(deps, place, { conversation: before, turnNow: () => before.turn, tellerFor: () => new TurnTeller() })
}

async function goOn({ holdpoint }: ChatDeps, { name: author }: Caller, { thread, turn }: Conversation): Promise<void> {
  if (turn?.termination?.type !== 'error' || !thread.run) throw onRecord()
  const { profile } = thread.run
  const { id, seq } = thread
  await holdpoint.start({ profile, input: null, author, surface: SURFACE, thread: { id, seq } })
}

/** Refuses an id that was used with other words. */
function editedMessage(): RefusedError {
  return new RefusedError(
    'input_id_taken',
    'A message that was sent cannot be edited: what the agent did for it is on record.',
    { hint: 'Send what you mean as a new message.' },
  )
}

function onRecord(): RefusedError {
  return new RefusedError('already_completed', 'That answer is on record, with all that was done for it.', {
    hint: 'Send a new message; load the chat again to see the answer.',
  })
}

function unknownChat(): RefusedError {
  return new RefusedError('unknown_session', 'Nothing was said in this chat yet, so there is nothing to go on with.')
}
