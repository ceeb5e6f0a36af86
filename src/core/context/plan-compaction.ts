/** Which part of a conversation is shortened next, so that a request fits: old results first, then all that is old. */
import type { Message } from '../journal/message.ts'
import type { Compaction } from '../run/context/compaction.ts'
import { foldedTo } from '../run/context/compaction.ts'
import { messageTokens } from './count-tokens.ts'
import { type Less, sentMessages } from './sent-messages.ts'

/** The room that there is, in tokens as the provider counts them. */
export interface Room {
  /** A request with more is shortened. */
  readonly limit: number
  /** The newest messages that stay as they are. */
  readonly keep: number
  /** What is beside the messages: instructions, tools. */
  readonly overhead: number
  /** The tokens of the provider for one of our estimate. */
  readonly ratio: number
}

export interface Conversation extends Less {
  /** All messages of the thread. */
  readonly messages: readonly Message[]
}

export type Step = Pick<Compaction, 'from' | 'to' | 'what' | 'keep'>

/** What helps, in the order in which it is done. */
export interface Plan {
  /** Results of the newest step that are too long for any request. */
  readonly newest: Step | null
  /** Older results. */
  readonly results: Step | null
  /** The end of the part that a summary replaces; `null` if shorter results are enough, or nothing else is left. */
  readonly foldTo: number | null
}

/** Characters that are kept of both ends of an old result, and those that are tried in the newest step. */
export const OLD_RESULTS_KEEP = 400
const KEEPS = [32_000, 16_000, 8_000, 4_000, 2_000, 1_000, OLD_RESULTS_KEEP]

/** Shortening is worth it from this share of the limit on: the provider reads everything anew once. */
const TARGET = 0.75

export function sizeOf(conversation: Conversation, { overhead, ratio }: Room): number {
  const { messages } = sentMessages(conversation.messages, conversation)
  return Math.ceil(ratio * messages.reduce((sum, message) => sum + messageTokens(message), overhead))
}

/** `null` if there is nothing to shorten. It does not ask whether the conversation is too long. */
export function planCompaction(conversation: Conversation, room: Room): Plan | null {
  const tail = tailOf(conversation, room)
  const newest = fitNewest(conversation, room, tail)
  const less = newest ? withStep(conversation, newest) : conversation
  const start = foldedTo(conversation.compactions)
  const results = gain(less, { from: start, to: tail, what: 'results', keep: OLD_RESULTS_KEEP })
  const size = sizeOf(results ? withStep(less, results) : less, room)
  const foldTo = size > room.limit * TARGET && tail > start ? tail : null
  return newest || results || foldTo !== null ? { newest, results, foldTo } : null
}

export function withCompaction(conversation: Conversation, made: Compaction): Conversation {
  return { ...conversation, compactions: [...conversation.compactions, made] }
}

function withStep(conversation: Conversation, step: Step): Conversation {
  return withCompaction(conversation, { ...step, summary: null, tokens_before: 0, tokens_after: 0 })
}

/** The step if it makes anything shorter. */
function gain(conversation: Conversation, step: Step): Step | null {
  if (step.from >= step.to) return null
  const before = sentMessages(conversation.messages, conversation).messages
  const after = sentMessages(conversation.messages, withStep(conversation, step)).messages
  return before.some((message, index) => message !== after[index]) ? step : null
}

/** The end of all that a summary can replace, also of a short conversation; `null` if nothing came since the last one. */
export function planFold(conversation: Conversation, room: Room): number | null {
  const tail = tailOf(conversation, { ...room, keep: 0 })
  return tail > foldedTo(conversation.compactions) ? tail : null
}

/**
 * The place from which the messages stay: as many as `keep` allows, the newest step at least. Calls and their results
 * are never parted (P5).
 */
function tailOf(conversation: Conversation, room: Room): number {
  const { messages } = conversation
  const start = foldedTo(conversation.compactions)
  const most = keptTokens(room)
  const { messages: sent, offset } = sentMessages(messages, conversation)
  let [tail, tokens] = [messages.length, 0]
  for (let place = messages.length - 1; place >= start; place -= 1) {
    const message = sent[place - offset]
    tokens += room.ratio * (message ? messageTokens(message) : 0)
    if (tokens > most && tail < messages.length) break
    if (messages[place]?.role !== 'tool') tail = place
  }
  return tail
}

/** Never so much that the rest would leave no room. */
function keptTokens({ keep, limit, overhead, ratio }: Room): number {
  return Math.max(0, Math.min(keep, (limit - overhead * ratio) / 2))
}

/** A step that alone is longer than what is kept has its results shortened, as little as it takes. */
function fitNewest(conversation: Conversation, room: Room, from: number): Step | null {
  const to = conversation.messages.length
  const isTooLong = (given: Conversation) => tokensFrom(given, room, from) > keptTokens(room)
  if (!isTooLong(conversation)) return null
  const steps = KEEPS.map(keep => ({ from, to, what: 'results', keep }) as const)
  const enough = steps.find(step => !isTooLong(withStep(conversation, step))) ?? steps.at(-1)
  return enough ? gain(conversation, enough) : null
}

function tokensFrom(conversation: Conversation, { ratio }: Room, from: number): number {
  const { messages, offset } = sentMessages(conversation.messages, conversation)
  return ratio * messages.slice(from - offset).reduce((sum, message) => sum + messageTokens(message), 0)
}
