import type { Amount } from '../count.ts'
import type { JournalEvent } from '../journal/event.ts'
import { type CallOutcome, callOutcome } from '../run/outcome/call-outcome.ts'
import { type CallStatus, isFinal } from '../run/tool-call.ts'
import type { JsonObject } from '../text/json.ts'

/** Another call of the same model answer. */
export interface HoldSibling {
  readonly call_id: string
  readonly tool: string
  readonly arguments: JsonObject | string
  readonly status: CallStatus
  /** The exit of the program that it ran; `null` if it ran none, or runs. */
  readonly outcome: CallOutcome | null
  /** True if a person rejected it: then it never ran, and its status is `failed`. */
  readonly is_rejected: boolean
  /** The newest hold of the call; `null` if it was never held. */
  readonly hold_id: string | null
}

/** The model answer that a held call is part of. */
export interface HoldBatch {
  /** The agent's text before its calls; empty if there is none. */
  readonly agent_message: string
  /** In the order in which the model asked for them. */
  readonly siblings: readonly HoldSibling[]
  /** How many of the siblings the model asked for before this call. */
  readonly siblings_before: Amount
}

/** The batch of a held call, as far as it is in the journal. `callId` is `null` if the hold is about no call. */
export function holdBatch(events: readonly JournalEvent[], callId: string | null): HoldBatch {
  const answer = events.findLast(event => event.kind === 'model.answered' && has(event, callId))
  if (answer?.kind !== 'model.answered') return { agent_message: lastText(events), siblings: [], siblings_before: 0 }
  const { text, calls } = answer.data
  const others = calls.filter(({ id }) => id !== callId)
  return {
    agent_message: text,
    siblings: others.map(({ id, name, arguments: args }) => ({
      ...{ call_id: id, tool: name, arguments: args },
      ...standing(events, id, args),
    })),
    siblings_before: calls.findIndex(({ id }) => id === callId),
  }
}

function has(event: Extract<JournalEvent, { kind: 'model.answered' }>, callId: string | null): boolean {
  return event.data.calls.some(({ id }) => id === callId)
}

function lastText(events: readonly JournalEvent[]): string {
  const answer = events.findLast(({ kind }) => kind === 'model.answered')
  return answer?.kind === 'model.answered' ? answer.data.text : ''
}

/** Each change of a call's status is an event that names both. */
function standing(
  events: readonly JournalEvent[],
  callId: string,
  args: JsonObject | string,
): Pick<HoldSibling, 'status' | 'hold_id' | 'outcome' | 'is_rejected'> {
  let status: CallStatus = 'new'
  let hold_id: string | null = null
  for (const { data, kind } of events) {
    if (!('call_id' in data) || data.call_id !== callId) continue
    if ('status' in data && data.status !== null && !isFinal(status)) status = data.status
    if (kind === 'hold.opened') hold_id = data.hold_id
  }
  const finished = events.findLast(event => event.kind === 'call.finished' && event.data.call_id === callId)
  const outcome = finished?.kind === 'call.finished' ? callOutcome(finished.data.output, args) : null
  return { status, hold_id, outcome, is_rejected: isRejected(events, callId) }
}

function isRejected(events: readonly JournalEvent[], callId: string): boolean {
  const decided = events.findLast(event => event.kind === 'hold.decided' && event.data.call_id === callId)
  return decided?.kind === 'hold.decided' && decided.data.decision.verdict === 'reject'
}
