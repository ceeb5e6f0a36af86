import type { Message } from '../journal/message.ts'
import type { Thread } from '../journal/thread.ts'
import { contentText } from '../message/part-words.ts'
import { foldedTo } from '../run/context/compaction.ts'
import { EVERY_PROVIDER, type RepairedPart } from '../run/repair/context-repair.ts'
import { cutText } from '../text/kept-text.ts'
import { labelOf, partsOf } from './choose-repair.ts'
import { resultText } from './shorten-result.ts'

/** A place in the messages of a thread: a message, or a picture or file in it. */
export interface PartPlace {
  readonly message: number
  readonly part?: number
}

/** What a person can leave out of what models are sent. */
export interface Droppable extends PartPlace {
  readonly what: Extract<RepairedPart, { type: 'part' | 'message' }>
  readonly label: string
  /** The beginning of a message; empty for a part of one. */
  readonly begins: string
}

type Conversation = Pick<Thread, 'messages' | 'context' | 'repairs'>

/**
 * Pictures, files, messages of people and results that are still sent, the newest first. A result stays if a person decided
 * about its call: the model is to keep to that.
 */
export function droppableParts({ messages, context, repairs }: Conversation): readonly Droppable[] {
  const decided = new Set(context.decided.map(({ call_id }) => call_id))
  const gone = new Set(repairs.filter(({ provider }) => provider === EVERY_PROVIDER).map(({ what }) => keyOf(what)))
  const start = foldedTo(context.compactions)
  return messages
    .flatMap((message, place) => (place >= start && mayGo(message, decided) ? placesIn(message, place) : []))
    .filter(place => !gone.has(keyOf({ type: 'message', message: place.message })) && !gone.has(keyOf(partAt(place))))
    .map(place => ({
      ...{ ...place, what: partAt(place), label: labelOf(partAt(place), messages) },
      begins: place.part === undefined ? beginningOf(messages[place.message]) : '',
    }))
    .toReversed()
}

function mayGo(message: Message, decided: ReadonlySet<string>): boolean {
  return message.role === 'user' || (message.role === 'tool' && !decided.has(message.tool_call_id))
}

function placesIn(message: Message, place: number): readonly PartPlace[] {
  const parts = partsOf(message).flatMap((part, index) => (part.type === 'text' ? [] : { message: place, part: index }))
  return [{ message: place }, ...parts]
}

const BEGINNING = 60

function beginningOf(message: Message | undefined): string {
  const content = message?.role === 'tool' ? message.content : contentText(message?.content ?? '')
  return cutText(resultText(content), BEGINNING).replaceAll(/\s+/g, ' ')
}

function partAt({ message, part }: PartPlace): Droppable['what'] {
  return part === undefined ? { type: 'message', message } : { type: 'part', message, part }
}

function keyOf(what: RepairedPart): string {
  if (what.type === 'part') return `${what.message}.${what.part}`
  return what.type === 'message' ? `${what.message}` : ''
}
