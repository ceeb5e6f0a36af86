/**
 * A page that comes back. While a turn is under way its message is left out of the messages, and the stream brings the
 * whole of it. At rest the messages have all, and there is no stream. So no client shows a part twice.
 */
import type { JsonObject } from '../../core/text/json.ts'
import type { Exchange } from '../http/route.ts'
import { type Conversation, isAtRest } from '../turns/conversation.ts'
import { TurnTeller } from '../turns/tell-turn.ts'
import { type ChatSite, findChat, streamTurn } from './chat-site.ts'
import { holdData } from './hold-data.ts'
import { uiMessage } from './ui-message.ts'

const NO_CONTENT = 204

export async function resumeChat(site: ChatSite, { params: { id = '' }, url, place }: Exchange): Promise<Response> {
  const conversation = await findChat(site, id)
  const turn = conversation?.turn
  if (!conversation || !turn || !hasNews(conversation, url.searchParams.get('since')))
    return new Response(null, { status: NO_CONTENT })
  const { seq } = conversation.thread
  return streamTurn(site, place, { conversation, seq, turnNow: () => turn, tellerFor: () => new TurnTeller() })
}

/** A page that loaded its messages at `since` misses a turn that came to rest right after that. */
function hasNews(conversation: Conversation, since: string | null): boolean {
  if (!isAtRest(conversation)) return true
  return since !== null && /^\d{1,15}$/.test(since) && conversation.thread.seq > Number(since)
}

export async function showChat(site: ChatSite, { params: { id = '' } }: Exchange): Promise<Response> {
  const conversation = await findChat(site, id)
  if (!conversation) return Response.json({ thread_id: null, seq: 0, status: 'new', messages: [] })
  const { thread, turn } = conversation
  const isUnderWay = !isAtRest(conversation)
  const shown = conversation.messages.filter(message => message.role === 'user' || isShown(message, isUnderWay, turn))
  const holds = await holdsOf(site, conversation)
  return Response.json({
    thread_id: thread.id,
    seq: thread.seq,
    status: isUnderWay ? 'running' : thread.run?.termination ? 'done' : 'waiting',
    messages: shown.map(message => uiMessage(message, holds)),
  })
}

function isShown(message: Conversation['turn'], isUnderWay: boolean, newest: Conversation['turn']): boolean {
  return message !== null && message.steps.length > 0 && !(isUnderWay && message === newest)
}

async function holdsOf(
  { holdpoint }: ChatSite,
  { messages }: Conversation,
): Promise<ReadonlyMap<string, JsonObject | null>> {
  const ids = messages.flatMap(message =>
    message.role === 'assistant' ? message.steps.flatMap(({ holds }) => holds.map(({ id }) => id)) : [],
  )
  const holds = await Promise.all([...new Set(ids)].map(id => holdpoint.hold(id)))
  return new Map(holds.flatMap(hold => (hold ? [[hold.id, holdData(hold)] as const] : [])))
}
