/** P11: a decider about a call sees how the same call ended earlier in its thread. */
import type { Amount } from '../count.ts'
import { type CallError, isFinal, OUTCOME_UNKNOWN, type ToolCall } from '../run/tool-call.ts'
import { isSameJson, type JsonObject } from '../text/json.ts'

/** `unknown`: it had started, and may have had its effect. */
export type CallEnd = (typeof ENDS)[number]

/** A call whose tool ran. */
export interface EndedCall {
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject
  readonly ended: CallEnd
  /** The code of its error. */
  readonly code: string | null
  /** ISO time. */
  readonly at: string
}

/** How calls of the same tool with the same arguments ended, the newest of each end. */
export interface CalledBefore {
  readonly ended: CallEnd
  readonly times: Amount
  readonly call_id: string
  readonly code: string | null
  /** ISO time. */
  readonly at: string
}

interface Ending {
  readonly status: ToolCall['status']
  readonly error: CallError | null
  readonly at: string
}

/** `null` if its tool did not run. `call`: the call before it ended. `held`: the kind of its newest hold. */
export function endedCall(call: ToolCall, held: string | null, { status, error, at }: Ending): EndedCall | null {
  const { id, name, final_arguments: args } = call
  const ranElsewhere = held === 'client_tool' && status === 'succeeded'
  const ran = call.status === 'running' || ranElsewhere || (held === 'in_doubt' && call.status !== 'new')
  if (isFinal(call.status) || !ran || typeof args === 'string' || error?.code === NOT_BEGUN) return null
  return { id, name, arguments: args, ended: endOf(status, error), code: error?.code ?? null, at }
}

const NOT_BEGUN = 'TOOL_CALL_NOT_BEGUN'

function endOf(status: ToolCall['status'], error: CallError | null): CallEnd {
  if (status === 'succeeded') return 'succeeded'
  return status === 'cancelled' || error?.code === OUTCOME_UNKNOWN ? 'unknown' : 'failed'
}

const ENDS = ['succeeded', 'unknown', 'failed'] as const

/** Empty if it is the first of its kind. */
export function calledBefore(all: readonly EndedCall[], call: ToolCall): readonly CalledBefore[] {
  const { id, name, final_arguments: args } = call
  const same = all.filter(each => each.id !== id && each.name === name && isSameJson(each.arguments, args))
  return ENDS.flatMap(ended => {
    const those = same.filter(each => each.ended === ended)
    const newest = those.at(-1)
    return newest ? [{ ended, times: those.length, call_id: newest.id, code: newest.code, at: newest.at }] : []
  })
}

const WORDS: Record<CallEnd, string> = {
  succeeded: 'succeeded',
  failed: 'failed',
  unknown: 'was stopped, and may have had its effect,',
}

export function calledBeforeText({ ended, times, call_id, code, at }: CalledBefore): string {
  const often = times > 1 ? `${times} times, the last time ` : ''
  const why = code === null || ended !== 'failed' ? '' : ` with ${code}`
  return `This very call ${WORDS[ended]} ${often}at ${at}${why} (${call_id}).`
}
