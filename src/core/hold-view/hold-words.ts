import { type Decision, idleEndText } from '../hold/decision.ts'
import { type Hold, usualMessage } from '../hold/hold.ts'
import { approvalsNeeded, askedNames } from '../hold/may-decide.ts'
import { isSameJson, type Json } from '../text/json.ts'
import { visibleLine } from '../text/visible-text.ts'

/** The first words about a call that policy says never to, on every surface. */
export const SAYS_NEVER = 'POLICY SAYS NEVER: approving overrides it'

/** The request in one visible line and in full (P9): the question, or the arguments of the call. */
export function holdSummary({ kind, tool, message, choices, arguments: args, ...hold }: Hold): string {
  if (kind === 'question' || kind === 'input')
    return visibleLine(choices === null ? message : `${message} [${choices.join(' | ')}]`)
  const call = args === null ? [] : [jsonText(args)]
  const never = hold.overrides_never && hold.status === 'open' ? [`${SAYS_NEVER}.`] : []
  return visibleLine([...never, ...(message === usualMessage(tool ?? '') ? [] : [message]), ...call].join(' '))
}

/** The result of a hold: `approved by ana`, `withdrawn`. One visible line; empty while it is open. */
export function holdOutcome({ status, decision }: Hold): string {
  if (status === 'open') return ''
  if (decision === null) return status
  const said = status === 'expired' ? `expired: ${VERDICTS[decision.verdict]}` : decisionText(decision)
  return visibleLine(said)
}

/** The decision with its decider and its reason. */
export function decisionText(decision: Decision): string {
  const { verdict, decided_by, value, arguments: args, reason } = decision
  const what = { respond: `: ${jsonText(value)}`, edit: `: ${jsonText(args)}`, approve: '', reject: '', cancel: '' }
  const why = reason === null ? '' : ` (${reason})`
  return idleEndText(decision) ?? visibleLine(`${VERDICTS[verdict]} by ${decided_by}${what[verdict]}${why}`)
}

const VERDICTS: Record<Decision['verdict'], string> = {
  approve: 'approved',
  reject: 'rejected',
  edit: 'approved with other arguments',
  respond: 'answered',
  cancel: 'cancelled',
}

/** What a tool named as the ground of the decision; `null` if there is none, or the context says the same. */
export function namedBasis({ basis = null, context }: Pick<Hold, 'basis' | 'context'>): Json {
  return basis === null || isSameJson(basis, context) ? null : basis
}

/** Text as it is, everything else as JSON. */
export function jsonText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The deciders, and if it is to be approved, how many must. */
export function whoMayDecide(hold: Hold): string {
  const { people = null, not_requester = false } = hold.deciders ?? {}
  const need = approvalsNeeded(hold)
  const isApproved = hold.kind === 'approval' || hold.kind === 'in_doubt'
  const who =
    people === null ? 'anybody but the agent itself' : askedNames(hold).join(', ') || 'nobody: its groups are empty'
  const have = hold.status === 'open' ? `, ${hold.votes.length} did so far` : ''
  const also = [
    ...(not_requester && isApproved ? ['whoever asked for it may only refuse'] : []),
    ...(need > 1 ? [`${need} different people must approve${have}`] : []),
  ]
  return [who, ...also].join('; ')
}
