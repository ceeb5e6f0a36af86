import type { Decision } from '../../../core/hold/decision.ts'
import { type Hold, usualMessage } from '../../../core/hold/hold.ts'
import type { Json } from '../../../core/text/json.ts'
import { visibleLine } from '../../process/visible-text.ts'

/** What is asked, in one visible line and in full (P9): the question, or the arguments of the call. */
export function holdSummary({ kind, tool, message, choices, arguments: args }: Hold): string {
  if (kind === 'question' || kind === 'input')
    return visibleLine(choices === null ? message : `${message} [${choices.join(' | ')}]`)
  const call = args === null ? [] : [jsonText(args)]
  return visibleLine([...(message === usualMessage(tool ?? '') ? [] : [message]), ...call].join(' '))
}

/** What became of a hold: `approved by ana`, `withdrawn`. One visible line; empty while it is open. */
export function holdOutcome({ status, decision }: Hold): string {
  if (status === 'open') return ''
  if (decision === null) return status
  const said = status === 'expired' ? `expired: ${VERDICTS[decision.verdict]}` : decisionText(decision)
  return visibleLine(said)
}

/** Who said what, and why. */
export function decisionText({ verdict, decided_by, value, arguments: args, reason }: Decision): string {
  const what = { respond: `: ${jsonText(value)}`, edit: `: ${jsonText(args)}`, approve: '', reject: '', cancel: '' }
  const why = reason === null ? '' : ` (${reason})`
  return visibleLine(`${VERDICTS[verdict]} by ${decided_by}${what[verdict]}${why}`)
}

const VERDICTS: Record<Decision['verdict'], string> = {
  approve: 'approved',
  reject: 'rejected',
  edit: 'approved with other arguments',
  respond: 'answered',
  cancel: 'cancelled',
}

/** Text as it is, everything else as JSON. */
export function jsonText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
