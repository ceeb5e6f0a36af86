import type { Message, ToolMessage, UserMessage } from '../journal/message.ts'
import type { ContentPart } from '../message/part.ts'
import { contentText, partWords } from '../message/part-words.ts'
import type { ContextRepair, RepairedPart } from '../run/repair/context-repair.ts'
import { shortenedResult } from './shorten-result.ts'

/** The messages as a provider is sent them: each keeps its place, and those without repairs stay the same objects. */
export function repairedMessages(messages: readonly Message[], repairs: readonly ContextRepair[]): readonly Message[] {
  if (repairs.length === 0) return messages
  const repaired = [...messages]
  for (const { what, why } of repairs) {
    for (const place of placesOf(what)) {
      const message = repaired[place]
      if (message) repaired[place] = repair(message, what, why)
    }
  }
  return repaired
}

/** The places of the messages that a repair is about. */
export function placesOf(what: RepairedPart): readonly number[] {
  if (what.type === 'tool') return []
  if (what.type === 'all_thoughts') return Array.from({ length: Math.max(0, what.to) }, (_, place) => place)
  return what.type === 'results' ? what.messages : [what.message]
}

/** The repair in such a list, too. */
export function shiftedRepair(repair: ContextRepair, by: number): ContextRepair {
  return by === 0 ? repair : { ...repair, what: shiftedPart(repair.what, by) }
}

/** The part of a request in a list of messages in which each has a place that is `by` more. */
export function shiftedPart(what: RepairedPart, by: number): RepairedPart {
  if (what.type === 'tool') return what
  if (what.type === 'results') return { ...what, messages: what.messages.map(place => place + by) }
  if (what.type === 'all_thoughts') return { ...what, to: what.to + by }
  return { ...what, message: what.message + by }
}

type Repair<T extends RepairedPart['type']> = (
  message: Message,
  what: Extract<RepairedPart, { type: T }>,
  why: string,
) => Message

const REPAIRS: { readonly [T in RepairedPart['type']]: Repair<T> } = {
  tool: message => message,
  part: withoutPart,
  message: (message, _, why) => withNote(message, why),
  results: (message, { keep }) => (message.role === 'tool' ? shortenedResult(message, keep) : message),
  thoughts: withoutThoughts,
  all_thoughts: withoutThoughts,
}

function repair(message: Message, what: RepairedPart, why: string): Message {
  return (REPAIRS[what.type] as Repair<RepairedPart['type']>)(message, what, why)
}

function withoutPart(message: Message, { part }: Extract<RepairedPart, { type: 'part' }>, why: string): Message {
  if (message.role === 'user' && typeof message.content !== 'string')
    return { ...message, content: withPartNote(message.content, part, why) }
  return message.role === 'tool' && message.parts ? withParts(message, withPartNote(message.parts, part, why)) : message
}

/** The words beside the parts are what some providers get in their place. */
function withParts(message: ToolMessage, parts: readonly ContentPart[]): ToolMessage {
  const inWords = message.parts && message.content === contentText(message.parts)
  return { ...message, parts, ...(inWords && { content: contentText(parts) }) }
}

function withPartNote(parts: readonly ContentPart[], place: number, why: string): readonly ContentPart[] {
  return parts.map((part, index) =>
    index === place && part.type !== 'text' ? { type: 'text', text: noteOf(partWords(part), why) } : part,
  )
}

function withNote(message: Message, why: string): Message {
  const note = noteOf('[a text]', why)
  if (message.role === 'tool') return plainResult(message, note)
  if (message.role === 'assistant') return { ...message, content: note }
  return message.role === 'user' ? ({ ...message, content: note } satisfies UserMessage) : message
}

function noteOf(words: string, why: string): string {
  return `${words.replace(/\]$/, '')}: left out of what you see, because it was refused: ${why}]`
}

function withoutThoughts(message: Message): Message {
  if (message.role !== 'assistant' || typeof message.content === 'string') return message
  return { ...message, content: message.content.filter(({ type }) => type !== 'reasoning') }
}

function plainResult({ parts: _, ...message }: ToolMessage, content: string): ToolMessage {
  return { ...message, content }
}
