/** The routes that `useChat` of the AI SDK talks to. Their errors are plain text, which a page shows as it is. */

import type { HoldState } from '../../core/journal/thread.ts'
import type { AnswerPart, Content } from '../../core/message/part.ts'
import type { BesidePart } from '../../core/message/part-words.ts'
import { isFinal, type ToolCall } from '../../core/run/tool-call.ts'
import type { Json, JsonObject } from '../../core/text/json.ts'
import type { Problem } from '../http/problem.ts'
import type { Exchange, Protocol, Route, RouteOperation } from '../http/route.ts'
import { type ChatMessage, holdOf, isOpen, type TurnStep } from '../turns/chat-message.ts'
import { type Conversation, isAtRest } from '../turns/conversation.ts'
import { TurnTeller } from '../turns/tell-turn.ts'
import { fileOf, filesIn, isForClient, outcomeOfCall, outcomeOfProvider, sourceOf } from './call-outcome.ts'
import { type ChatDeps, findChat, streamTurn } from './chat-deps.ts'
import { CHAT_REQUEST } from './chat-request.ts'
import { holdData } from './hold-data.ts'
import { postChat } from './post-chat.ts'

/** A client sends the whole conversation with each message. */
const MAX_BODY_BYTES = 4 * 1024 * 1024

export function openAiSdk(deps: ChatDeps): Protocol {
  const routes: readonly Pick<Route, 'methods' | 'path' | 'maxBodyBytes' | 'streams' | 'answer' | 'operations'>[] = [
    {
      ...{ methods: ['POST'], path: '/api/chat', maxBodyBytes: MAX_BODY_BYTES, streams: true },
      operations: { POST: POST_CHAT },
      answer: exchange => postChat(deps, exchange),
    },
    {
      ...{ methods: ['GET'], path: '/api/chat/:id/stream', streams: true },
      operations: { GET: RESUME_CHAT },
      answer: exchange => resumeChat(deps, exchange),
    },
    {
      ...{ methods: ['GET'], path: '/api/chat/:id/messages' },
      operations: { GET: SHOW_CHAT },
      answer: exchange => showChat(deps, exchange),
    },
  ]
  return { routes: routes.map(route => ({ ...route, refuse })) }
}

const REFUSED = { refusalType: 'text/plain' } as const
const STREAM = {
  text: 'A UI message stream of the AI SDK 6 and 7, up to the rest of the run.',
  type: 'text/event-stream',
}

const POST_CHAT: RouteOperation = {
  summary: 'Sends a message in a chat of the AI SDK, or answers what it waits for',
  description: 'A message takes the role operator, and answers take the role decider, or one with more rights.',
  body: CHAT_REQUEST,
  answers: { 200: STREAM },
  ...REFUSED,
}

const RESUME_CHAT: RouteOperation = {
  summary: 'Goes on with the stream of a turn that is under way',
  description: 'Takes the role viewer, or one with more rights.',
  query: { since: { type: 'integer', minimum: 0, description: 'The `seq` that came with the messages.' } },
  answers: { 200: STREAM, 204: { text: 'Nothing is under way.' } },
  ...REFUSED,
}

const SHOW_CHAT: RouteOperation = {
  summary: 'The messages of a chat, for a page to begin with',
  description: 'Takes the role viewer, or one with more rights.',
  answers: {
    200: {
      text: '`messages` as `useChat` takes them, with `seq`, `status` and `thread_id`.',
      type: 'application/json',
    },
  },
  ...REFUSED,
}

function refuse({ status, detail, hint, headers = {} }: Problem): Response {
  const text = hint ? `${detail} ${hint}` : detail
  return new Response(text, { status, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' } })
}

/**
 * Serves a page that reconnects. During a turn the messages leave its message out, and the stream has the whole of it.
 * Between turns the messages have all, and there is no stream. So no client shows a part twice.
 */
const NO_CONTENT = 204

async function resumeChat(deps: ChatDeps, { params: { id = '' }, url, place }: Exchange): Promise<Response> {
  const conversation = await findChat(deps, id)
  const turn = conversation?.turn
  if (!conversation || !turn || !hasNews(conversation, url.searchParams.get('since')))
    return new Response(null, { status: NO_CONTENT })
  const { seq } = conversation.thread
  return streamTurn(deps, place, { conversation, seq, turnNow: () => turn, tellerFor: () => new TurnTeller() })
}

/** A page that loaded its messages at `since` misses a turn that ended right after that. */
function hasNews(conversation: Conversation, since: string | null): boolean {
  if (!isAtRest(conversation)) return true
  return since !== null && /^\d{1,15}$/.test(since) && conversation.thread.seq > Number(since)
}

async function showChat(deps: ChatDeps, { params: { id = '' } }: Exchange): Promise<Response> {
  const conversation = await findChat(deps, id)
  if (!conversation) return Response.json({ thread_id: null, seq: 0, status: 'new', messages: [] })
  const { thread, turn } = conversation
  const isUnderWay = !isAtRest(conversation)
  const shown = conversation.messages.filter(message => message.role === 'user' || isShown(message, isUnderWay, turn))
  const holds = await holdsOf(deps, conversation)
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
  { holdpoint }: ChatDeps,
  { messages }: Conversation,
): Promise<ReadonlyMap<string, JsonObject | null>> {
  const ids = messages.flatMap(message =>
    message.role === 'assistant' ? message.steps.flatMap(({ holds }) => holds.map(({ id }) => id)) : [],
  )
  const holds = await Promise.all([...new Set(ids)].map(id => holdpoint.hold(id)))
  return new Map(holds.flatMap(hold => (hold ? [[hold.id, holdData(hold)] as const] : [])))
}

/** A thread as `useChat` keeps it: what a page is given before it connects. */
interface UiMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly parts: readonly JsonObject[]
}

/** The data of a hold, by its id; `null` if there is none to show. */
type HoldData = ReadonlyMap<string, JsonObject | null>

function uiMessage(message: ChatMessage, holds: HoldData): UiMessage {
  const { id, role } = message
  if (message.role === 'user') return { id, role, parts: saidParts(message.content) }
  return { id, role, parts: message.steps.flatMap(step => stepParts(step, holds)) }
}

function saidParts(content: Content): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.map(part => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    const { name } = part
    return { type: 'file', ...fileOf(part), ...(name !== undefined && { filename: name }) }
  })
}

function stepParts(step: TurnStep, holds: HoldData): JsonObject[] {
  return [{ type: 'step-start' }, ...step.parts.flatMap(part => answerPart(part, step, holds))]
}

function answerPart(part: AnswerPart, step: TurnStep, holds: HoldData): JsonObject[] {
  if (part.type === 'text' || part.type === 'reasoning')
    return part.text === '' ? [] : [{ type: part.type, text: part.text, state: 'done' }]
  if (part.type !== 'tool_call') return [besidePart(part)]
  const call = step.calls.find(({ id }) => id === part.id)
  if (!call) return []
  const hold = holdOf(step, call.id)
  const data = hold && holds.get(hold.id)
  const files = isFinal(call.status) ? filesIn(call.parts).map(file => ({ type: 'file', ...file })) : []
  return [callPart(call, hold), ...(hold && data ? [{ type: 'data-hold', id: hold.id, data }] : []), ...files]
}

function besidePart(part: BesidePart): JsonObject {
  if (part.type === 'source') return sourceOf(part)
  if (part.type !== 'provider_call') return { type: 'file', ...fileOf(part) }
  const { id: toolCallId, name, arguments: args } = part
  const ours = { toolCallId, input: args ?? {}, providerExecuted: true }
  return { type: `tool-${name}`, ...ours, ...outcomeOfProvider(part) }
}

function callPart(call: ToolCall, hold: HoldState | null): JsonObject {
  const { id: toolCallId, name, final_arguments: input } = call
  const ours = isForClient(hold) ? {} : { providerExecuted: true }
  return { type: `tool-${name}`, toolCallId, ...standing(call, hold), input, ...ours, ...approval(hold) }
}

function standing(call: ToolCall, hold: HoldState | null): { readonly [key: string]: Json } {
  if (isFinal(call.status)) return { ...outcomeOfCall(call, hold) }
  if (hold?.kind !== 'approval') return { state: 'input-available' }
  return { state: isOpen(hold) ? 'approval-requested' : 'approval-responded' }
}

function approval(hold: HoldState | null): { readonly approval?: JsonObject } {
  if (hold?.kind !== 'approval') return {}
  const { id, decision } = hold
  if (!decision) return { approval: { id } }
  const approved = decision.verdict === 'approve' || decision.verdict === 'edit'
  return { approval: { id, approved, ...(decision.reason !== null && { reason: decision.reason }) } }
}
