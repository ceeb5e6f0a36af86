/**
 * The parts of a client's post that count: its newest message, or its answers to open holds. The history in the post
 * is the client's memory, and decides nothing.
 */
import { RefusedError } from '../../core/errors.ts'
import type { Content, ContentPart } from '../../core/message/part.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import type { WhileWaiting } from '../../runtime/threads/send-message.ts'

interface Asked {
  readonly chatId: string
  /** The agent of a new conversation; `null` for the usual one. */
  readonly agent: string | null
  /** The last message of the agent that the client has. */
  readonly seen: PostedMessage | null
}

export type ChatRequest = Asked &
  (
    | { readonly kind: 'message'; readonly id: string; readonly content: Content; readonly whileWaiting: WhileWaiting }
    | { readonly kind: 'answers'; readonly seen: PostedMessage }
    | { readonly kind: 'again' }
  )

export interface PostedMessage {
  readonly id: string
  readonly role: string
  readonly parts: readonly JsonObject[]
}

const LONGEST_NAME = 200
const WHILE_WAITING: readonly string[] = ['reject', 'queue', 'supersede'] satisfies WhileWaiting[]

/** A name of a client's own. */
const NAMED: JsonObject = { type: 'string', minLength: 1, maxLength: LONGEST_NAME }
const MESSAGE: JsonObject = {
  type: 'object',
  properties: { id: NAMED, role: { type: 'string' }, parts: { type: 'array', items: { type: 'object' } } },
  required: ['id', 'role', 'parts'],
}

/** JSON Schema of what is read of a body. Other keys are a page's own. */
export const CHAT_REQUEST: JsonObject = {
  type: 'object',
  properties: {
    id: { ...NAMED, description: 'The chat: a name of the client’s own, or the id of a thread.' },
    messages: { type: 'array', items: MESSAGE, description: 'Only the last message, or answers in it, counts.' },
    message: MESSAGE,
    trigger: { type: 'string', enum: ['submit-message', 'regenerate-message'], default: 'submit-message' },
    messageId: { type: ['string', 'null'] },
    agent: { type: ['string', 'null'], description: 'The agent of a new chat; the usual one if it is left out.' },
    whileWaiting: { type: ['string', 'null'], enum: [...WHILE_WAITING, null], default: 'supersede' },
  },
  required: ['id'],
}

/** @throws RefusedError `invalid_message` */
export function readChatRequest(body: unknown): ChatRequest {
  if (!isJsonObject(body as Json)) throw invalid('the body is no object')
  const { id, messages, message, trigger = 'submit-message', messageId, agent, whileWaiting } = body as JsonObject
  const posted = readMessages(messages ?? (message === undefined ? [] : [message]))
  const asked = {
    chatId: readName('id', id),
    agent: isLeftOut(agent) ? null : readName('agent', agent),
    seen: posted.findLast(({ role }) => role === 'assistant') ?? null,
  }
  if (trigger === 'regenerate-message') return { ...asked, kind: 'again' }
  if (trigger !== 'submit-message') throw invalid(`trigger ${JSON.stringify(trigger)} is not known`)
  const last = posted.find(one => one.id === messageId) ?? posted.at(-1)
  if (last?.role === 'assistant') return { ...asked, kind: 'answers', seen: last }
  if (last?.role !== 'user') throw invalid('there is no message of a person')
  return { ...asked, kind: 'message', id: last.id, content: contentOf(last), whileWaiting: readMode(whileWaiting) }
}

function isLeftOut(value: Json | undefined): value is null | undefined {
  return value === undefined || value === null
}

/** A message withdraws an open approval, unless the page asks for another mode. */
function readMode(value: Json | undefined): WhileWaiting {
  if (isLeftOut(value)) return 'supersede'
  if (typeof value === 'string' && WHILE_WAITING.includes(value)) return value as WhileWaiting
  throw invalid(`whileWaiting ${JSON.stringify(value)} is not known; use ${WHILE_WAITING.join(', ')}`)
}

function readMessages(value: Json): PostedMessage[] {
  if (!Array.isArray(value)) throw invalid('messages is no list')
  return value.map((message: Json) => {
    if (!isJsonObject(message)) throw invalid('a message is no object')
    const { id, role, parts } = message
    if (typeof role !== 'string' || !Array.isArray(parts)) throw invalid('a message needs a role and parts')
    return { id: readName('id of a message', id), role, parts: parts.filter((part: Json) => isJsonObject(part)) }
  })
}

function readName(what: string, value: Json | undefined): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_NAME) return value
  throw invalid(`the ${what} is no text of 1 to ${LONGEST_NAME} characters`)
}

/** Data parts belong to the page and are ignored. The runtime checks the rest. */
function contentOf({ parts }: PostedMessage): Content {
  const content = parts.flatMap(part => contentPart(part))
  const [only, ...others] = content
  return only?.type === 'text' && others.length === 0 ? only.text : content
}

function contentPart({ type, text, url, mediaType, filename }: JsonObject): ContentPart[] {
  if (type === 'text') return [{ type, text: String(text) }]
  if (typeof type === 'string' && type.startsWith('data-')) return []
  if (type !== 'file') throw invalid(`a part of the type ${JSON.stringify(type)} cannot be sent`)
  const file = {
    url: String(url),
    media_type: String(mediaType),
    ...(typeof filename === 'string' && { name: filename }),
  }
  return [{ type: file.media_type.startsWith('image/') ? 'image' : 'file', ...file }]
}

function invalid(problem: string): RefusedError {
  return new RefusedError('invalid_message', `The request is not one of the AI SDK: ${problem}. Nothing was done.`, {
    hint: 'Post { id, messages, trigger } as `useChat` does, with a message of parts.',
  })
}
