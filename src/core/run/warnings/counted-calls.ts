import type { Amount } from '../../count.ts'
import { observedRule } from '../../policy/observed.ts'
import { refusingRule } from '../../policy/refused-words.ts'
import type { CallError, CallStatus, ToolCall } from '../tool-call.ts'
import type { RunWarning } from './run-warning.ts'

/** Calls of a run on which policy ruled without any person. */
export interface CountedCalls {
  readonly calls: Amount
  /** Why, each reason once. */
  readonly rules: readonly string[]
}

export const NO_CALLS: CountedCalls = { calls: 0, rules: [] }

const MOST_RULES = 20

function countOne({ calls, rules }: CountedCalls, rule: string): CountedCalls {
  return { calls: calls + 1, rules: [...new Set([...rules, rule])].slice(0, MOST_RULES) }
}

/** People know what they rejected, and a call with a fault is the model's own problem. */
const REFUSED: readonly string[] = ['TOOL_CALL_FORBIDDEN', 'TOOL_CALL_BLOCKED']

/** Counts a call that was refused. */
export function countRefused(
  before: CountedCalls,
  { attempt }: Pick<ToolCall, 'attempt'>,
  { status, error }: { readonly status: CallStatus; readonly error: CallError | null },
): CountedCalls {
  if (status !== 'failed' || attempt > 0 || error === null || !REFUSED.includes(error.code)) return before
  return countOne(before, refusingRule(error.message))
}

/** Counts a call that passed only because its policy observes. */
export function countObserved(before: CountedCalls, rule: string): CountedCalls {
  const observed = observedRule(rule)
  return observed === null ? before : countOne(before, observed)
}

export function refusalWarnings({ calls, rules }: CountedCalls): readonly RunWarning[] {
  if (calls === 0) return []
  return [
    {
      ...{ code: 'calls_refused', calls, rules },
      message: `${counted(calls)} refused, and nobody was asked: ${rules.join('; ')}.`,
      hint: 'What the agent says may not have been done. Change the policy, or let the run pause for approval.',
    },
  ]
}

export function observedWarnings({ calls, rules }: CountedCalls): readonly RunWarning[] {
  if (calls === 0) return []
  return [
    {
      ...{ code: 'calls_observed', calls, rules },
      message: `${counted(calls)} let pass because the policy only observes: ${rules.join('; ')}.`,
      hint: 'To ask a person about such calls, take "mode" out of the policy.',
    },
  ]
}

function counted(calls: number): string {
  return calls === 1 ? '1 call was' : `${calls} calls were`
}
