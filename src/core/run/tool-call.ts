import type { Amount } from '../count.ts'
import { IllegalMoveError } from '../errors.ts'
import type { ContentPart } from '../message/part.ts'
import type { Json, JsonObject } from '../text/json.ts'

/** The status of a tool call. The last three are final. */
export type CallStatus = 'new' | 'running' | 'suspended' | 'resuming' | 'succeeded' | 'failed' | 'cancelled'

const no = null

/** Legal moves, from row to column (docs/design/calls.md#statuses). To stay the same is no move. */
// biome-ignore format: the table is the documentation
export const MAY_BECOME: Record<CallStatus, Record<CallStatus, true | null>> = {
  new:       { new: no, running: true, suspended: true, resuming: no,   succeeded: true, failed: true, cancelled: true },
  running:   { new: no, running: no,   suspended: true, resuming: no,   succeeded: true, failed: true, cancelled: true },
  suspended: { new: no, running: no,   suspended: no,   resuming: true, succeeded: no,   failed: no,   cancelled: true },
  resuming:  { new: no, running: true, suspended: true, resuming: no,   succeeded: true, failed: true, cancelled: true },
  succeeded: { new: no, running: no,   suspended: no,   resuming: no,   succeeded: no,   failed: no,   cancelled: no },
  failed:    { new: no, running: no,   suspended: no,   resuming: no,   succeeded: no,   failed: no,   cancelled: no },
  cancelled: { new: no, running: no,   suspended: no,   resuming: no,   succeeded: no,   failed: no,   cancelled: no },
}

/** Why a call gave no output. Shown to the model as `CODE: message`. */
export interface CallError {
  readonly code: string
  readonly message: string
}

/** P11: a call had begun and was stopped: nobody knows whether it took effect. */
export const OUTCOME_UNKNOWN = 'OUTCOME_UNKNOWN'

/** The error of a call that is over with an unknown outcome: `because` gives the cause. */
export function outcomeUnknown(because: string, error: CallError | null = null): CallError {
  const its = error === null || error.message.trim() === '' ? '' : ` It said: ${error.message}`
  return { code: OUTCOME_UNKNOWN, message: `${because}; it had started, so it may have had its effect.${its}` }
}

/** The arguments of a call after the schema of its tool. */
export interface FittedArguments {
  /** Left out if it changed nothing. */
  readonly arguments?: JsonObject
  /** The digest of that schema. Absent if they are checked again when they run, and in journals of before. */
  readonly fitted?: string
}

/** One call that the model asked for, as far as the journal has it. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** The model's arguments: an object, or the raw text if it was not a JSON object. */
  readonly arguments: JsonObject | string
  /** The arguments to run: `arguments`, or those that a person put in their place. */
  readonly final_arguments: JsonObject | string
  /** The digest of the schema that produced them, if one did: it is not evaluated again. */
  readonly fitted?: string | null
  readonly status: CallStatus
  /** How often its effect was claimed. */
  readonly attempt: Amount
  /** True once policy let it pass without a hold. */
  readonly allowed: boolean
  /** The standing grant by which it was let pass. */
  readonly grant_id: string | null
  /** The newest hold of this call. */
  readonly hold_id: string | null
  /** The tool's result; parts are described in words. */
  readonly output: Json
  /** Left out if the tool returned plain JSON. */
  readonly parts?: readonly ContentPart[]
  readonly error: CallError | null
  /** Set if its process stopped that attempt after the effect had begun: nobody knows the outcome. */
  readonly cut_off?: CutOff | null
}

/** The end of an attempt that was cut off. `said`: the words of the tool as it stopped. */
export interface CutOff {
  readonly because: string
  readonly said: string | null
}

const FINAL: Record<CallStatus, boolean> = {
  new: false,
  running: false,
  suspended: false,
  resuming: false,
  succeeded: true,
  failed: true,
  cancelled: true,
}

export function isFinal(status: CallStatus): boolean {
  return FINAL[status]
}

/** docs/design/calls.md#status-of-a-step */
export type StepStatus = 'running' | 'waiting' | 'complete'

export function stepStatus(calls: readonly Pick<ToolCall, 'status'>[]): StepStatus {
  if (calls.some(mayMove)) return 'running'
  return calls.some(call => call.status === 'suspended') ? 'waiting' : 'complete'
}

function mayMove(call: Pick<ToolCall, 'status'>): boolean {
  return call.status !== 'suspended' && !isFinal(call.status)
}

/** @throws IllegalMoveError for a move that the table does not list. */
export function assertMayBecome(call: Pick<ToolCall, 'id' | 'status'>, next: CallStatus): void {
  if (call.status === next || MAY_BECOME[call.status][next] === true) return
  throw new IllegalMoveError(call.id, call.status, next)
}

export function newCall({ id, name, arguments: args }: Pick<ToolCall, 'id' | 'name' | 'arguments'>): ToolCall {
  return {
    id,
    name,
    arguments: args,
    final_arguments: args,
    status: 'new',
    attempt: 0,
    allowed: false,
    grant_id: null,
    hold_id: null,
    output: null,
    error: null,
  }
}
