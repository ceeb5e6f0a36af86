/**
 * An open hold as an interrupt, and the answer to it as a decision. A payload that does not fit is refused, so a hold is
 * never decided by a guess (P1).
 */
import type { DecisionInput, DecisionVerdict } from '../../core/hold/decision.ts'
import type { Hold, HoldKind } from '../../core/hold/hold.ts'
import { approvalsNeeded } from '../../core/hold/may-decide.ts'
import { argumentsSchema } from '../../core/hold-view/bound-parts.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import type { Interrupt } from './ag-ui-event.ts'
import type { ResumeEntry } from './run-input.ts'

interface Form {
  readonly reason: Interrupt['reason']
  /** JSON Schema of the payload. */
  schema(hold: Hold): JsonObject
  /** `null` if the payload is none of the answers. */
  read(payload: Json): Said | null
  /** The verdict of a cancelled entry. */
  readonly cancelled: DecisionVerdict
}

type Said = Pick<DecisionInput, 'verdict' | 'arguments' | 'value' | 'reason'>

const APPROVED: JsonObject = { type: 'boolean' }
const REASON: JsonObject = { type: 'string', description: 'Recorded, and told to the model.' }

const FORMS: Record<Exclude<HoldKind, 'input'>, Form> = {
  approval: {
    reason: 'tool_call',
    schema: hold => approvalSchema(hold),
    read: payload => readApproval(payload),
    cancelled: 'cancel',
  },
  question: {
    reason: 'input_required',
    schema: ({ response_schema, choices }) => response_schema ?? textOf(choices),
    read: value => ({ verdict: 'respond', value }),
    cancelled: 'cancel',
  },
  client_tool: {
    reason: 'input_required',
    schema: ({ response_schema }) => response_schema ?? {},
    read: value => ({ verdict: 'respond', value }),
    cancelled: 'cancel',
  },
  in_doubt: {
    reason: 'confirmation',
    schema: () => DOUBT,
    read: payload => readDoubt(payload),
    cancelled: 'cancel',
  },
}

/** A conversation that waits for its next message asks nothing of its client. */
export function isInterrupt(hold: Hold): boolean {
  return hold.kind !== 'input'
}

export function interruptOf(hold: Hold, isLegacy: boolean): Interrupt {
  const { reason, schema } = formOf(hold)
  const { id, call_id, message, due_at, on_due } = hold
  // Clients before 1.0 cannot get past an interrupt that has expired. An escalated hold does not end at its deadline.
  const expires = !isLegacy && due_at !== null && on_due !== 'escalate'
  return {
    ...{ id, reason, message },
    ...(call_id !== null && { toolCallId: call_id }),
    responseSchema: schema(hold),
    ...(expires && { expiresAt: due_at }),
    metadata: metadataOf(hold),
  }
}

/** Facts that an approver needs to see, and for which AG-UI has no field. */
function metadataOf(hold: Hold): JsonObject {
  const { kind, run_id, tool, arguments: args, digest, due_at, on_due, assignee, choices, context, votes } = hold
  const { preview, basis } = hold
  return {
    ...{ kind, run_id, tool, arguments: args, digest, due_at, on_due, assignee, choices, context },
    ...(basis !== undefined && { basis }),
    ...(preview && { preview: { ...preview } }),
    approvals: { have: votes.length, need: approvalsNeeded(hold) },
  }
}

/** `null` if the payload does not fit. */
export function decisionOf(hold: Hold, { status, payload }: ResumeEntry): Said | null {
  const form = formOf(hold)
  return status === 'cancelled' ? { verdict: form.cancelled } : form.read(payload)
}

function formOf({ kind }: Hold): Form {
  return FORMS[kind === 'input' ? 'question' : kind]
}

/** Several people approve the same arguments, so none of them changes them. */
function approvalSchema({ tool_schema, deciders }: Hold): JsonObject {
  const edits = (deciders?.quorum ?? 1) > 1 ? {} : { editedArgs: argumentsSchema(tool_schema ?? { type: 'object' }) }
  return { type: 'object', properties: { approved: APPROVED, ...edits, reason: REASON }, required: ['approved'] }
}

function readApproval(payload: Json): Said | null {
  if (!isJsonObject(payload)) return null
  const { approved, editedArgs = null, reason = null } = payload
  if (typeof approved !== 'boolean' || !isReason(reason)) return null
  if (!approved) return { verdict: 'reject', reason }
  if (editedArgs === null) return { verdict: 'approve', reason }
  return isJsonObject(editedArgs) ? { verdict: 'edit', arguments: editedArgs, reason } : null
}

const DOUBT: JsonObject = {
  type: 'object',
  properties: {
    approved: { type: 'boolean', description: 'true runs the call again; false says that it failed.' },
    result: { description: 'The call took effect: here is its result.' },
    reason: REASON,
  },
}

function readDoubt(payload: Json): Said | null {
  if (!isJsonObject(payload)) return null
  const { approved = null, result = null, reason = null } = payload
  if (!isReason(reason) || (approved === null) === (result === null)) return null
  if (result !== null) return { verdict: 'respond', value: result, reason }
  return typeof approved === 'boolean' ? { verdict: approved ? 'approve' : 'reject', reason } : null
}

function isReason(reason: Json): reason is string | null {
  return reason === null || typeof reason === 'string'
}

function textOf(choices: readonly string[] | null): JsonObject {
  return { type: 'string', ...(choices && { enum: choices }) }
}
