import type { Decision, DecisionVerdict } from './decision.ts'
import type { HoldKind } from './hold.ts'
import type { Json } from './json.ts'
import type { CallError } from './tool-call.ts'

/** What becomes of a held call once its hold is decided. */
export type Release =
  | { readonly act: 'run' }
  | {
      readonly act: 'finish'
      readonly status: 'succeeded' | 'failed' | 'cancelled'
      readonly output: Json
      readonly error: CallError | null
    }

type Rule = (decision: Decision) => Release

const RUN: Rule = () => ({ act: 'run' })
const ANSWER: Rule = ({ value }) => ({ act: 'finish', status: 'succeeded', output: value, error: null })
const REJECT: Rule = decision =>
  failed('TOOL_CALL_REJECTED', decision.reason ?? `${decision.decided_by} rejected this call.`)
const DECLINE: Rule = decision =>
  failed('QUESTION_DECLINED', decision.reason ?? `${decision.decided_by} declined to answer.`)
const IT_FAILED: Rule = decision =>
  failed(
    'TOOL_CALL_FAILED',
    decision.reason ?? `The process died while it ran; ${decision.decided_by} says that it failed.`,
  )
const CANCEL: Rule = decision => ({
  act: 'finish',
  status: 'cancelled',
  output: null,
  error: { code: 'TOOL_CALL_CANCELLED', message: decision.reason ?? `${decision.decided_by} cancelled this call.` },
})

/** Where `MAY_SAY` has no meaning for a verdict, there is no rule here: such a decision is never recorded. */
const RULES: Record<Exclude<HoldKind, 'input'>, Partial<Record<DecisionVerdict, Rule>>> = {
  approval: { approve: RUN, edit: RUN, reject: REJECT, cancel: CANCEL },
  question: { respond: ANSWER, reject: DECLINE, cancel: CANCEL },
  client_tool: { respond: ANSWER, reject: REJECT, cancel: CANCEL },
  in_doubt: { approve: RUN, respond: ANSWER, reject: IT_FAILED, cancel: CANCEL },
}

/** Anything that is not clearly a release is a rejection: an approval is never guessed (P1). */
export function releaseOf(kind: Exclude<HoldKind, 'input'>, decision: Decision): Release {
  return (RULES[kind][decision.verdict] ?? REJECT)(decision)
}

function failed(code: string, message: string): Release {
  return { act: 'finish', status: 'failed', output: null, error: { code, message } }
}
