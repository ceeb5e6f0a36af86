/** An estimate of tokens by characters. What providers count corrects it: see `Counted`. */
import type { Message } from '../journal/message.ts'
import type { AnswerPart, Content, ContentPart } from '../message/part.ts'
import { base64Bytes } from '../message/part-words.ts'
import type { Json } from '../text/json.ts'

/** Characters of a token of text in the Latin alphabet; any other character counts as one token. */
const CHARACTERS = 3.5
/** A picture, scaled as providers scale it. */
const IMAGE = 1_600
/** Bytes of a token of a file, such as a PDF: its pages are read as text and as pictures. */
const FILE_BYTES = 25
/** Role, ids and the like of a message. */
const OVERHEAD = 8

export function textTokens(text: string): number {
  const others = text.match(/[\u0250-\uffff]/g)?.length ?? 0
  return Math.ceil((text.length - others) / CHARACTERS) + others
}

export function jsonTokens(value: Json): number {
  return textTokens(typeof value === 'string' ? value : JSON.stringify(value))
}

const COUNTED = new WeakMap<Message, number>()

/** Messages are never changed in place, so that each is counted once. */
export function messageTokens(message: Message): number {
  const known = COUNTED.get(message)
  if (known !== undefined) return known
  const tokens = OVERHEAD + COUNTS[message.role](message as never)
  COUNTED.set(message, tokens)
  return tokens
}

const COUNTS: { readonly [R in Message['role']]: (message: Extract<Message, { role: R }>) => number } = {
  system: ({ content }) => textTokens(content),
  user: ({ content }) => contentTokens(content),
  assistant: ({ content, tool_calls }) =>
    contentTokens(content) +
    tool_calls.reduce((sum, call) => sum + OVERHEAD + textTokens(call.name) + jsonTokens(call.arguments), 0),
  tool: ({ content, parts }) => (parts ? contentTokens(parts) : jsonTokens(content)),
}

function contentTokens(content: Content | readonly AnswerPart[]): number {
  if (typeof content === 'string') return textTokens(content)
  return content.reduce((sum, part) => sum + partTokens(part), 0)
}

function partTokens(part: ContentPart | AnswerPart): number {
  if (part.type === 'text' || part.type === 'reasoning') return textTokens(part.text)
  if (part.type === 'tool_call' || part.type === 'source') return 0
  if (part.type === 'provider_call') return OVERHEAD + jsonTokens(part.arguments) + jsonTokens(part.result ?? null)
  if (part.type === 'image' || part.media_type.startsWith('image/')) return IMAGE
  return Math.max(IMAGE, part.data === undefined ? 0 : Math.ceil(base64Bytes(part.data) / FILE_BYTES))
}
