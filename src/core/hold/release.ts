import type { ContentPart } from '../message/part.ts'
import type { CallError } from '../run/tool-call.ts'
import type { Json } from '../text/json.ts'
import type { Decision, DecisionVerdict } from './decision.ts'
import type { HoldKind, ResumeMode } from './hold.ts'

/** The next step of a held call, once its hold is decided. */
export type Release =
  | { readonly act: 'run' }
  | {
      readonly act: 'finish'
      readonly status: 'succeeded' | 'failed' | 'cancelled'
      readonly output: Json
      /** In place of `output`. */
      readonly parts?: readonly ContentPart[]
      readonly error: CallError | null
    }

type Rule = (decision: Decision, mode: ResumeMode) => Release

const RUN: Rule = () => ({ act: 'run' })
const ANSWER: Rule = ({ value, parts }) => ({
  act: 'finish',
  status: 'succeeded',
  ...(parts ? { output: null, parts } : { output: value }),
  error: null,
})
const RESULT: Rule = ({ verdict, arguments: args, value, reason, decided_by }) => ({
  act: 'finish',
  status: 'succeeded',
  output: { verdict, arguments: args, value, reason, decided_by },
  error: null,
})
const REJECT: Rule = decision =>
  failed('TOOL_CALL_REJECTED', decision.reason ?? `${decision.decided_by} rejected this call.`)
const DECLINE: Rule = decision =>
  failed('QUESTION_DECLINED', decision.reason ?? `${decision.decided_by} declined to answer.`)
const IT_FAILED: Rule = decision =>
  failed(
    'TOOL_CALL_FAILED',
    decision.reason ?? `Nobody knew whether it took effect; ${decision.decided_by} says that it failed.`,
  )
const CANCEL: Rule = decision => ({
  act: 'finish',
  status: 'cancelled',
  output: null,
  error: { code: 'TOOL_CALL_CANCELLED', message: decision.reason ?? `${decision.decided_by} cancelled this call.` },
})

/** docs/design/calls.md#resume-modes */
const APPROVE: Rule = (decision, mode) =>
  mode === 'use_decision_as_tool_result' ? RESULT(decision, mode) : RUN(decision, mode)
const RESPOND: Rule = (decision, mode) =>
  mode === 'use_decision_as_tool_result' ? ANSWER(decision, mode) : RUN(decision, mode)

/** A verdict without a meaning in `MAY_SAY` has no rule here: such a decision is never recorded. */
const RULES: Record<Exclude<HoldKind, 'input'>, Partial<Record<DecisionVerdict, Rule>>> = {
  approval: { approve: APPROVE, edit: APPROVE, reject: REJECT, cancel: CANCEL },
  question: { respond: RESPOND, reject: DECLINE, cancel: CANCEL },
  client_tool: { respond: RESPOND, reject: REJECT, cancel: CANCEL },
  in_doubt: { approve: RUN, respond: ANSWER, reject: IT_FAILED, cancel: CANCEL },
}

/** Anything that is not clearly a release is a rejection: an approval is never guessed (P1). */
export function releaseOf(kind: Exclude<HoldKind, 'input'>, decision: Decision, mode: ResumeMode): Release {
  if (mode === 'continue_call' && kind === 'question' && Object.hasOwn(RULES.question, decision.verdict))
    return RUN(decision, mode)
  const rule = Object.hasOwn(RULES[kind], decision.verdict) ? RULES[kind][decision.verdict] : undefined
  return (rule ?? REJECT)(decision, mode)
}

function failed(code: string, message: string): Release {
  return { act: 'finish', status: 'failed', output: null, error: { code, message } }
}
