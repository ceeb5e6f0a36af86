/** Reads the tool parts of a client's message: how far the client is, and what its person answered. */
import type { HoldState } from '../../core/journal/thread.ts'
import { isFinal, type ToolCall } from '../../core/run/tool-call.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import { holdOf, isOpen, type Turn } from '../turns/chat-message.ts'
import type { KnownTurn } from '../turns/tell-turn.ts'
import type { ToldCall } from '../turns/told-calls.ts'
import { isForClient } from './call-outcome.ts'
import type { PostedMessage } from './chat-request.ts'

/** An answer of a person to an open hold. */
export interface PostedAnswer {
  readonly hold_id: string
  readonly verdict: 'approve' | 'reject' | 'respond'
  readonly value?: Json
  readonly reason?: string
}

interface PostedCall {
  readonly id: string
  readonly state: string
  readonly part: JsonObject
  /** The index among the parts of the message. */
  readonly index: number
}

interface PlacedCall {
  readonly call: ToolCall
  readonly hold: HoldState | null
  /** The step that it belongs to. */
  readonly step: number
}

/** The answers to holds of this turn that are open. Anything else in a message counts for nothing. */
export function answersIn(message: PostedMessage, turn: Turn): PostedAnswer[] {
  return callsIn(message).flatMap(posted => {
    const { hold } = placeOf(turn, posted.id) ?? {}
    return hold && isOpen(hold) ? answerTo(hold, posted) : []
  })
}

function answerTo({ id: hold_id, kind }: HoldState, { state, part }: PostedCall): PostedAnswer[] {
  const { approval, output = null, errorText, preliminary } = part
  if (kind === 'approval') return state === 'approval-responded' ? approvalTo(hold_id, approval) : []
  if (kind !== 'question' && kind !== 'client_tool') return []
  if (state === 'output-available' && preliminary !== true) return [{ hold_id, verdict: 'respond', value: output }]
  return state === 'output-error' ? [{ hold_id, verdict: 'reject', ...reasonOf(errorText) }] : []
}

/** An approval names its hold, so one that was given for another hold of the call does not count. */
function approvalTo(hold_id: string, approval: Json | undefined): PostedAnswer[] {
  if (!isJsonObject(approval ?? null)) return []
  const { id, approved, reason } = approval as JsonObject
  if (id !== hold_id || typeof approved !== 'boolean') return []
  return [{ hold_id, verdict: approved ? 'approve' : 'reject', ...reasonOf(reason) }]
}

function reasonOf(text: Json | undefined): { readonly reason?: string } {
  return typeof text === 'string' && text.trim() !== '' ? { reason: text } : {}
}

/** Approvals of calls that are not of this turn: the client waits for what becomes of them. */
export function foreignApprovals(message: PostedMessage, turn: Turn): string[] {
  return callsIn(message).flatMap(({ id, state }) =>
    state === 'approval-responded' && placeOf(turn, id) === null ? [id] : [],
  )
}

/** How far the client is. It decides what is sent, and nothing else. */
export function knownIn(message: PostedMessage, turn: Turn): KnownTurn {
  const calls = callsIn(message)
  const placed = calls.flatMap(posted => {
    const place = placeOf(turn, posted.id)
    return place ? [{ posted, place }] : []
  })
  const last = placed.at(-1)
  const behind = message.parts.slice(last ? last.posted.index : 0).filter(({ type }) => type === 'step-start')
  const steps = Math.min((last ? last.place.step + 1 : 0) + behind.length, turn.steps.length + 1)
  // A call is ready only after its whole answer was sent.
  const isAnswered = behind.length === 0 && last !== undefined && last.posted.state !== 'input-streaming'
  return {
    steps,
    answers: isAnswered ? steps : steps - 1,
    spoken: spokenIn(message),
    calls: new Map(placed.map(({ posted, place }) => [posted.id, toldCall(posted, place)])),
  }
}

/** In the last step. */
function spokenIn({ parts }: PostedMessage): KnownTurn['spoken'] {
  const step = parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)
  const said = (kind: string) => step.map(({ type, text }) => (type === kind ? String(text) : '')).join('')
  return { text: said('text'), reasoning: said('reasoning') }
}

function toldCall({ state, part }: PostedCall, { call, hold }: PlacedCall): ToldCall {
  const { input = null, approval } = part
  const isWriting = state === 'input-streaming'
  const asked = isJsonObject(approval ?? null) ? (approval as JsonObject)['id'] : null
  return {
    input: '',
    ready: isWriting ? null : (input as JsonObject | string),
    asked: typeof asked === 'string' ? asked : isForClient(hold) && !isWriting ? (hold?.id ?? null) : null,
    answered: state === 'approval-responded' || state.startsWith('output-'),
    finished: isFinal(call.status) && hasOutcome(state, call),
  }
}

/** A client that gave a result itself may not know that it was not taken. */
function hasOutcome(state: string, { status }: ToolCall): boolean {
  if (state === 'output-available') return status === 'succeeded'
  return state === 'output-error' || state === 'output-denied'
}

function callsIn({ parts }: PostedMessage): PostedCall[] {
  return parts.flatMap((part, index) => {
    const { type, toolCallId: id, state } = part
    const isTool = typeof type === 'string' && (type.startsWith('tool-') || type === 'dynamic-tool')
    return isTool && typeof id === 'string' && typeof state === 'string' ? [{ id, state, part, index }] : []
  })
}

function placeOf({ steps }: Turn, callId: string): PlacedCall | null {
  for (const [index, step] of steps.entries()) {
    const call = step.calls.find(({ id }) => id === callId)
    if (call) return { call, hold: holdOf(step, callId), step: index }
  }
  return null
}
