import type { CalledBefore } from '../../core/doubt/called-before.ts'
import type { StillRunning } from '../../core/doubt/started-work.ts'
import type { Risk } from '../../core/hold/act.ts'
import { type Hold, type RefusedBefore, riskOf, usualMessage } from '../../core/hold/hold.ts'
import type { Preview } from '../../core/preview/preview.ts'
import { isFinal } from '../../core/run/tool-call.ts'
import type { Json, JsonObject } from '../../core/text/json.ts'
import type { RunOutline, RunView } from './run-view.ts'

/** A call of the batch that a pause is about, also if it needs no approval itself. */
export interface PendingCall {
  readonly id: string
  readonly name: string
  /** The act in words, if its tool has a title for it. */
  readonly title?: string
  /** Left out if it is `ordinary`. */
  readonly risk?: Risk
  /** What the act deletes, or where it leads beyond this machine; left out if nothing is known. */
  readonly reaches?: readonly string[]
  readonly arguments: JsonObject | string
  readonly requires_approval: boolean
  readonly hold_id: string | null
  readonly digest: string | null
  /** The reason for asking, if it is more than a policy that asks: a change, a limit. */
  readonly message?: string
  readonly context?: Json
  /** The basis of the decision, if its tool named one. */
  readonly basis?: Json
  /** The effect of the call, as its tool previewed it; left out if its tool has no preview. */
  readonly preview?: Preview
  readonly in_doubt?: true
  /** Policy rules `never`: only an approval that names the call overrides that. */
  readonly overrides_never?: true
  /** The model insists on it: it was refused so often in a row. */
  readonly refused_before?: RefusedBefore
  /** How the same calls of its session ended before; left out if it is the first. */
  readonly called_before?: readonly CalledBefore[]
  /** Whether what a call in doubt had started still runs, as far as it is known. */
  readonly still_running?: StillRunning
  /** The call runs elsewhere: the program that runs it gives its result. */
  readonly client_tool?: true
  /** JSON Schema of that result; left out if any will do. */
  readonly response_schema?: JsonObject
  /** The decision, while others of the batch are open. */
  readonly decided?: { readonly verdict: string; readonly decided_by: string }
}

/** A question that waits for an answer. */
export interface AskedQuestion {
  readonly id: string
  readonly hold_id: string
  readonly question: string
  readonly context: Json
  /** The basis of the answer, if its tool named one. */
  readonly basis?: Json
  readonly choices: readonly string[] | null
  /** JSON Schema of the answer; `null` if any text will do. */
  readonly response_schema: JsonObject | null
  /** Earlier questions of this run; left out if there are none. */
  readonly earlier_answers?: RunView['answers']
}

/** What a paused run waits for. */
export interface PauseReason {
  readonly type: 'tool_approval_required' | 'question_asked' | 'input_required' | 'outcome_unknown'
  readonly pending_tool_calls: readonly PendingCall[]
  readonly questions: readonly AskedQuestion[]
}

/** The reason of a pause, in the words of docs/design/command-line.md#the-document. */
export function pauseReason({ holds, calls, decided, answers }: RunOutline): PauseReason {
  const holdOf = new Map(holds.map(hold => [hold.call_id, hold]))
  const decisionOf = new Map(decided.map(each => [each.call_id, each]))
  const pending = calls.filter(call => !isFinal(call.status) && holdOf.get(call.id)?.kind !== 'question')
  return {
    type: pauseType(holds),
    pending_tool_calls: pending.map(call => pendingCall(call, holdOf.get(call.id), decisionOf.get(call.id))),
    questions: holds.filter(hold => hold.kind === 'question').map(hold => askedQuestion(hold, answers)),
  }
}

/** The agent's words at a pause: its text with the calls, or else its question. */
export function agentMessage({ answer, holds }: Pick<RunView, 'answer' | 'holds'>): string {
  if (answer !== '') return answer
  return holds.flatMap(({ kind, message }) => (kind === 'question' ? [message] : [])).join('\n')
}

const PAUSE_TYPES: readonly [kind: Hold['kind'], type: PauseReason['type']][] = [
  ['in_doubt', 'outcome_unknown'],
  ['approval', 'tool_approval_required'],
  ['client_tool', 'tool_approval_required'],
  ['question', 'question_asked'],
]

function pauseType(holds: readonly Hold[]): PauseReason['type'] {
  return PAUSE_TYPES.find(([kind]) => holds.some(hold => hold.kind === kind))?.[1] ?? 'input_required'
}

function pendingCall(
  call: RunView['calls'][number],
  hold: Hold | undefined,
  each: RunView['decided'][number] | undefined,
): PendingCall {
  return {
    id: call.id,
    name: call.name,
    arguments: call.final_arguments,
    requires_approval: hold !== undefined,
    hold_id: hold?.id ?? null,
    digest: hold?.digest ?? each?.decision.digest ?? null,
    ...(hold?.kind === 'approval' || hold?.kind === 'in_doubt' ? particulars(hold) : {}),
    ...(hold ? shownOf(hold) : {}),
    ...(hold?.kind === 'in_doubt' ? { in_doubt: true } : {}),
    ...(hold?.kind === 'client_tool' ? clientTool(hold) : {}),
    ...(!hold && each ? { decided: { verdict: each.decision.verdict, decided_by: each.decision.decided_by } } : {}),
  }
}

/** What an approver sees beside the arguments. */
const SHOWN = [
  'title',
  'reaches',
  'basis',
  'preview',
  'overrides_never',
  'refused_before',
  'called_before',
  'still_running',
] as const

function shownOf(hold: Hold): Partial<PendingCall> {
  const risk = riskOf(hold)
  const known = SHOWN.flatMap(key => (hold[key] === undefined ? [] : [[key, hold[key]] as const]))
  return { ...Object.fromEntries(known), ...(risk !== 'ordinary' && { risk }) }
}

function clientTool({ response_schema }: Hold): Pick<PendingCall, 'client_tool' | 'response_schema'> {
  return { client_tool: true, ...(response_schema && { response_schema }) }
}

function particulars({ tool, message, context }: Hold): Pick<PendingCall, 'message' | 'context'> {
  return message === usualMessage(tool ?? '') ? {} : { message, ...(context === null ? {} : { context }) }
}

function askedQuestion(hold: Hold, earlier_answers: RunView['answers']): AskedQuestion {
  const { id: hold_id, call_id, message, context, basis, choices, response_schema } = hold
  const asked = { question: message, context, ...(basis !== undefined && { basis }), choices, response_schema }
  return { id: call_id ?? hold_id, hold_id, ...asked, ...(earlier_answers.length > 0 && { earlier_answers }) }
}
