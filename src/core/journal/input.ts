/**
 * Messages with ids of their senders. P2: an id names one message of its thread, so the same message sent again, or by
 * two processes at once, is one message. The store keeps the ids; these are the rules.
 */

import { RefusedError } from '../errors.ts'
import { readApprovalAnswer } from '../hold/approval-answer.ts'
import type { Decision } from '../hold/decision.ts'
import type { Content } from '../message/part.ts'
import { contentText } from '../message/part-words.ts'
import { runRefusals } from '../refusals/run-refusals.ts'
import type { ApprovalAnswers } from '../run/profile.ts'
import { canonicalJson, type Json } from '../text/json.ts'
import { wellFormed } from '../text/kept-text.ts'
import type { JournalEvent, NewEvent } from './event.ts'

/** The id that a sender gave the message of this event; `null` if it is no message, or has none. */
export function inputIdOf({ kind, data }: NewEvent): string | null {
  if (kind === 'message.queued' || kind === 'message.received') return data.input_id ?? null
  if (kind === 'hold.decided' || kind === 'hold.voted') return data.decision.input_id ?? null
  return null
}

export interface Input {
  readonly content: Content
  readonly author: string | null
}

/** True if the event came from this very message. An answer in words counts by what it decided. */
export function isSameInput({ kind, data }: JournalEvent, input: Input, mode: ApprovalAnswers): boolean {
  if (kind === 'message.queued' || kind === 'message.received')
    return data.author === input.author && isEqual(data.content, input.content)
  if (kind === 'hold.decided' || kind === 'hold.voted') return decidesTheSame(data.decision, input, mode)
  return false
}

function decidesTheSame(decision: Decision, { content, author }: Input, mode: ApprovalAnswers): boolean {
  if (author !== null && author !== decision.decided_by) return false
  const { verdict, value, parts, reason } = decision
  if (verdict === 'respond') return isEqual(parts ?? value, content) || isEqual(value, parsed(content))
  const read = readApprovalAnswer(contentText(content), mode)
  return read.verdict === verdict && read.reason === reason
}

/** To a question that asks for JSON, a text is an answer in JSON. */
function parsed(content: Content): Json {
  if (typeof content !== 'string') return null
  try {
    return JSON.parse(content) as Json
  } catch {
    return content
  }
}

function isEqual(one: Json, other: Json): boolean {
  return canonicalJson(wellFormed(one)) === canonicalJson(wellFormed(other))
}

/** `first` is the `seq` at which the thread took this id; `null` if it did not. @throws RefusedError `duplicate_input` */
export function refuseDuplicateInput(inputId: string, first: number | null): void {
  if (first !== null) throw duplicateInput(inputId, first)
}

function duplicateInput(inputId: string, seq: number): RefusedError {
  return new RefusedError(DUPLICATE_INPUT, `The message ${JSON.stringify(inputId)} was taken before.`, {
    hint: 'Nothing was written again. Give another message another id.',
    details: { seq },
  })
}

export const DUPLICATE_INPUT = 'duplicate_input'

const LONGEST_ID = 200

/** @throws RefusedError `invalid_message` */
export function checkInputId(inputId: unknown): void {
  if (inputId === undefined) return
  // Of two ids that differ by half of a pair, the journal would make one.
  const isText = typeof inputId === 'string' && inputId.trim() !== '' && inputId.isWellFormed()
  if (isText && inputId.length <= LONGEST_ID) return
  throw runRefusals.invalidMessage(LONGEST_ID)
}

/**
 * The id of the newest message of a person that the agent has received, by the events in order; `null` before the
 * first.
 */
export class HeardInput {
  newest: string | null = null
  readonly #queued: string[] = []

  hear({ kind, data }: JournalEvent, id: string): void {
    // The agent answers no plugin that makes a run go on. Older journals do not name plugins.
    if (kind === 'message.received' && (data.forced_by ?? null) === null) this.newest = id
    if (kind === 'message.queued') this.#queued.push(id)
    if (kind === 'message.delivered') this.newest = this.#queued.splice(0, data.count).at(-1) ?? this.newest
    if (kind === 'hold.decided' && data.decision.verdict === 'respond') this.newest = id
  }
}
