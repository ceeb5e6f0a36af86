/** A thread as `useChat` keeps it: what a page is given before it connects. */
import type { HoldState } from '../../core/journal/thread.ts'
import type { AnswerPart, Content } from '../../core/message/part.ts'
import { isFinal, type ToolCall } from '../../core/run/tool-call.ts'
import type { Json, JsonObject } from '../../core/text/json.ts'
import { type ChatMessage, holdOf, isOpen, type TurnStep } from '../turns/chat-message.ts'
import { fileOf, filesIn, isForClient, outcomeOfCall } from './call-outcome.ts'

export interface UiMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly parts: readonly JsonObject[]
}

/** The data of a hold, by its id; `null` if there is none to show. */
export type HoldData = ReadonlyMap<string, JsonObject | null>

export function uiMessage(message: ChatMessage, holds: HoldData): UiMessage {
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
  if (part.type !== 'tool_call') return part.text === '' ? [] : [{ type: part.type, text: part.text, state: 'done' }]
  const call = step.calls.find(({ id }) => id === part.id)
  if (!call) return []
  const hold = holdOf(step, call.id)
  const data = hold && holds.get(hold.id)
  const files = isFinal(call.status) ? filesIn(call.parts).map(file => ({ type: 'file', ...file })) : []
  return [callPart(call, hold), ...(hold && data ? [{ type: 'data-hold', id: hold.id, data }] : []), ...files]
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
