/** A new message, or answers to what waits. Each goes on record first, and then the client is told what follows. */
import { RefusedError } from '../../core/errors.ts'
import { DUPLICATE_INPUT } from '../../core/journal/input.ts'
import { type Caller, signerOf } from '../http/gate.ts'
import type { Exchange } from '../http/route.ts'
import type { StreamPlace } from '../http/stream-places.ts'
import type { Turn } from '../turns/chat-message.ts'
import { threadOfChat } from '../turns/chat-thread.ts'
import { type Conversation, conversationOf, isAtRest, saidWith, turnWith } from '../turns/conversation.ts'
import { TurnTeller } from '../turns/tell-turn.ts'
import { type ChatRequest, type PostedMessage, readChatRequest } from './chat-request.ts'
import { type ChatSite, findChat, requireRole, SURFACE, streamTurn } from './chat-site.ts'
import { answersIn, foreignApprovals, knownIn } from './posted-parts.ts'
import type { Telling } from './turn-stream.ts'

type Asked<K extends ChatRequest['kind']> = Extract<ChatRequest, { kind: K }>

/** @throws RefusedError */
export async function postChat(site: ChatSite, exchange: Exchange): Promise<Response> {
  const request = readChatRequest(exchange.body)
  switch (request.kind) {
    case 'message':
      return takeMessage(site, exchange, request)
    case 'answers':
      return takeAnswers(site, exchange, request)
    case 'again':
      return tellAgain(site, exchange, request)
  }
}

async function takeMessage(site: ChatSite, { caller, place }: Exchange, asked: Asked<'message'>): Promise<Response> {
  requireRole(caller, 'operator')
  const before = await findChat(site, asked.chatId)
  if (before && asked.seen) await decide(site, caller, { conversation: before, seen: asked.seen })
  await say(site, caller, { asked, isNew: before === null })
  const conversation = before ?? conversationOf(threadOfChat(asked.chatId), [])
  const turnNow = () => {
    const said = saidWith(conversation, asked.id)
    return said?.turn_id ? turnWith(conversation, said.turn_id) : null
  }
  return told(site, place, { conversation, turnNow, tellerFor: () => new TurnTeller() })
}

/** The conversation was read once, before anything was said: the client is told at least what stands now. */
async function told(site: ChatSite, place: StreamPlace, telling: Omit<Telling, 'seq'>): Promise<Response> {
  const seq = await site.holdpoint.newestSeq(telling.conversation.thread.id)
  return streamTurn(site, place, { ...telling, seq })
}

interface Saying {
  readonly asked: Asked<'message'>
  readonly isNew: boolean
}

/** Of two requests that begin a conversation at once, one starts it, and the other one goes on with it. */
async function say(site: ChatSite, { name: author }: Caller, { asked, isNew }: Saying): Promise<void> {
  const { chatId, id: inputId, content, whileWaiting } = asked
  const signed = { author, surface: SURFACE, inputId }
  if (isNew && (await begin(site, asked, signed))) return
  const said = typeof content === 'string' ? { text: content } : { parts: content }
  try {
    await site.holdpoint.send(threadOfChat(chatId), { ...said, ...signed }, { whileWaiting })
  } catch (thrown) {
    throw thrown instanceof RefusedError && thrown.code === 'input_id_taken' ? editedMessage() : thrown
  }
}

/** False if another request was first. */
async function begin(
  { holdpoint, profileOf }: ChatSite,
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

async function takeAnswers(site: ChatSite, { caller, place }: Exchange, asked: Asked<'answers'>): Promise<Response> {
  const { chatId, seen } = asked
  const before = await findChat(site, chatId)
  if (!before) throw unknownChat()
  if (!turnOf(before, seen)) throw unknownChat()
  const refusals = await decide(site, caller, { conversation: before, seen })
  return told(site, place, {
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
  { holdpoint }: ChatSite,
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

/** Nothing that happened is taken back. A turn that an error ended is tried again; any other one is told once more. */
async function tellAgain(site: ChatSite, { caller, place }: Exchange, asked: Asked<'again'>): Promise<Response> {
  requireRole(caller, 'operator')
  const before = await findChat(site, asked.chatId)
  if (!before?.turn) throw unknownChat()
  if (isAtRest(before) && before.turn.termination) await goOn(site, caller, before)
  return told(site, place, { conversation: before, turnNow: () => before.turn, tellerFor: () => new TurnTeller() })
}

async function goOn({ holdpoint }: ChatSite, { name: author }: Caller, { thread, turn }: Conversation): Promise<void> {
  if (turn?.termination?.type !== 'error' || !thread.run) throw onRecord()
  const { profile } = thread.run
  const { id, seq } = thread
  await holdpoint.start({ profile, input: null, author, surface: SURFACE, thread: { id, seq } })
}

/** The same id with other words. */
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
