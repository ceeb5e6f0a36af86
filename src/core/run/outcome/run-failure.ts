import type { Json, JsonObject } from '../../text/json.ts'
import { visibleLine } from '../../text/visible-text.ts'
import type { CallError } from '../tool-call.ts'
import { type CallOutcome, callOutcome, outcomeText } from './call-outcome.ts'

/** What nobody may miss of a run that ended well: its last program failed, or a call that a person approved did. */
export interface RunFailure extends CallOutcome {
  /** Why the approved call failed, in one visible line; left out if a program did. */
  readonly error?: string
}

interface EndedCall {
  readonly status: 'succeeded' | 'failed' | 'cancelled'
  readonly output: Json
  readonly error: CallError | null
  /** The arguments that ran. */
  readonly args: JsonObject | string | null
  readonly isApproved: boolean
}

/** A failure stays until a program, or a call that a person approved, ends well. Agents try much else that may fail. */
export function failureAfter(
  before: RunFailure | null,
  { status, output, error, args, isApproved }: EndedCall,
): RunFailure | null {
  const outcome = callOutcome(output, args)
  if (outcome) return outcome.failed ? outcome : null
  if (!isApproved || status === 'cancelled') return before
  return error === null ? null : { exit_code: null, signal: null, failed: true, error: shortened(error.message) }
}

/** In code units. */
const LONGEST = 120

function shortened(message: string): string {
  const line = visibleLine(message.slice(0, LONGEST * 2))
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, '')}\u2026`
}

/** `exit 1`, `SIGTERM`, or why the call failed. */
export function failureText(failed: RunFailure): string {
  return failed.error ?? outcomeText(failed)
}

/** The same as a sentence. */
export function failureSentence(failed: RunFailure): string {
  return failed.error === undefined
    ? `Its last command failed with ${outcomeText(failed)}.`
    : `A call that was approved failed: ${failed.error}`
}
