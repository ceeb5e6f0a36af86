import { type Decision, idleEndText, isForOthers } from '../hold/decision.ts'
import { type Hold, riskOf, usualMessage } from '../hold/hold.ts'
import { approvalsNeeded, askedNames } from '../hold/may-decide.ts'
import { changesText } from '../text/differences.ts'
import { isJsonObject, type Json, jsonText } from '../text/json.ts'
import { visibleLine } from '../text/visible-text.ts'
import { isCutTitle } from './blocks/act-words.ts'
import { SAYS_NEVER } from './blocks/hold-blocks.ts'

/** The request in one visible line and in full (P9): the question, or the arguments of the call. */
export function holdSummary({ kind, tool, message, choices, arguments: args, ...hold }: Hold): string {
  if (kind === 'question' || kind === 'input')
    return visibleLine(choices === null ? message : `${message} [${choices.join(' | ')}]`)
  const call = args === null ? [] : [jsonText(args)]
  const never = hold.overrides_never && hold.status === 'open' ? [`${SAYS_NEVER}.`] : []
  return visibleLine([...never, ...(message === usualMessage(tool ?? '') ? [] : [message]), ...call].join(' '))
}

/** The act or the question, and its task, in one visible line; in full (P9) if no title says all of it. */
export function holdAct(hold: Hold): string {
  const { title, task, status } = hold
  const risk = status === 'open' ? riskOf(hold) : 'ordinary'
  const act = title === undefined || isCutTitle(title) || hold.overrides_never ? holdSummary(hold) : title
  const marked = risk === 'high' ? `[high risk] ${act}` : act
  return task === undefined || task.text === '' ? marked : visibleLine(`${marked} \u00b7 ${task.text}`)
}

/** The result of a hold: `approved by ana`, `withdrawn`. One visible line; empty while it is open. */
export function holdOutcome({ status, decision, arguments: asked }: Hold): string {
  if (status === 'open') return ''
  if (decision === null) return status
  const words = status === 'expired' ? `expired: ${VERDICTS[decision.verdict]}` : decisionText(decision, asked)
  return visibleLine(words)
}

/** The decision with its decider and its reason. If the arguments that were `asked` for are given, an edit is what it changed. */
export function decisionText(decision: Decision, asked: Hold['arguments'] = null): string {
  const { verdict, decided_by, value, arguments: args, reason } = decision
  const edit = (isJsonObject(asked) && isJsonObject(args) && changesText(asked, args)) || jsonText(args)
  const what = { respond: `: ${valueText(value)}`, edit: `: ${edit}`, approve: '', reject: '', cancel: '' }
  const why = reason === null ? '' : ` (${reason})`
  return (
    idleEndText(decision) ??
    visibleLine(`${isForOthers(decision) ? FOR_OTHERS : VERDICTS[verdict]} by ${decided_by}${what[verdict]}${why}`)
  )
}

/** In words as far as they go: `plan: fast, days: 3`. */
function valueText(value: Json): string {
  if (!isJsonObject(value)) return Array.isArray(value) ? value.map(jsonText).join(', ') : jsonText(value)
  return Object.entries(value)
    .map(([name, each]) => `${name}: ${jsonText(each)}`)
    .join(', ')
}

const FOR_OTHERS = 'changed to more than was asked, which others decide,'

const VERDICTS: Record<Decision['verdict'], string> = {
  approve: 'approved',
  reject: 'rejected',
  edit: 'approved with other arguments',
  respond: 'answered',
  cancel: 'cancelled',
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
