import type { Decision, DecisionVerdict } from '../../hold/decision.ts'
import type { JsonObject } from '../../text/json.ts'
import { cutText } from '../../text/kept-text.ts'

/** What somebody decided about a call, as one line: it is never summarized away. */
export interface DecidedCall {
  readonly call_id: string
  readonly line: string
}

interface Asked {
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject | string
}

const DID: Readonly<Record<DecisionVerdict, string>> = {
  approve: 'approved',
  reject: 'rejected',
  edit: 'approved with other arguments',
  respond: 'answered',
  cancel: 'cancelled',
}

/** Arguments that are longer are known by the call. */
const LONGEST_ARGUMENTS = 500

export function decidedCall({ id, name, arguments: args }: Asked, decision: Decision): DecidedCall {
  const { verdict, decided_by, reason, value, arguments: edited } = decision
  const asked = shown(args)
  const said = [
    ...(verdict === 'edit' && edited ? [`with ${shown(edited)}`] : []),
    ...(verdict === 'respond' ? [typeof value === 'string' ? value : JSON.stringify(value)] : []),
    ...(reason?.trim() ? [reason] : []),
  ]
  const words = said.length === 0 ? '' : `: ${said.join('; ').replace(/\s*\n\s*/g, ' ')}`
  return { call_id: id, line: `${decided_by} ${DID[verdict]} ${name} ${asked} (call ${id})${words}` }
}

function shown(args: JsonObject | string): string {
  const text = typeof args === 'string' ? args : JSON.stringify(args)
  return text.length > LONGEST_ARGUMENTS ? `${cutText(text, LONGEST_ARGUMENTS)}…` : text
}
