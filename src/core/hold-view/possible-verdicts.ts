import { type ErrorDocument, RefusedError } from '../errors.ts'
import type { DecisionVerdict } from '../hold/decision.ts'
import type { Hold } from '../hold/hold.ts'
import { objectionToDecider, tally } from '../hold/may-decide.ts'
import { maySay } from '../hold/objection.ts'
import type { Membership } from '../people/membership.ts'

/** A decision that a hold takes, and whether the viewer may give it. */
export interface PossibleVerdict {
  readonly verdict: DecisionVerdict
  /** The effect of the verdict: `runs the call`, `answers`. */
  readonly means: string
  /** Why the viewer may not; `null` if they may. */
  readonly refusal: ErrorDocument | null
}

/** A person under the name with which they would sign. */
interface Person {
  readonly name: string
  /** Default: no group is proven. */
  readonly member_of?: Membership | null
}

/** Everything that an open hold takes from this person; empty if it is not open any more. */
export function possibleVerdicts(hold: Hold, by: Person): readonly PossibleVerdict[] {
  if (hold.status !== 'open') return []
  const table = Object.entries(maySay(hold)) as [DecisionVerdict, string | null][]
  return table.flatMap(([verdict, means]) =>
    means === null ? [] : [{ verdict, means, refusal: refusalOf(hold, by, verdict)?.toJSON() ?? null }],
  )
}

/** An approval lets a hold pass. If there is nothing to approve, an answer or other arguments do. */
export function mayDecide(verdicts: readonly PossibleVerdict[]): true | ErrorDocument | null {
  const passing =
    verdicts.find(({ verdict }) => verdict === 'approve' || verdict === 'respond') ??
    verdicts.find(({ verdict }) => verdict === 'edit')
  return passing ? (passing.refusal ?? true) : null
}

function refusalOf(hold: Hold, { name: decided_by, member_of }: Person, verdict: DecisionVerdict): RefusedError | null {
  const decision = { verdict, decided_by, ...(member_of && { member_of }) }
  return objectionToDecider(hold, decision) ?? objectionToVote(hold, decided_by, verdict)
}

/** Each of several approvers approves once. */
function objectionToVote(hold: Hold, decided_by: string, verdict: DecisionVerdict): RefusedError | null {
  try {
    tally(hold, { ...BLANK, verdict, decided_by })
    return null
  } catch (thrown) {
    if (thrown instanceof RefusedError) return thrown
    throw thrown
  }
}

const BLANK = {
  decision_id: '',
  arguments: null,
  value: null,
  reason: null,
  surface: '',
  at: '',
  digest: null,
  grant: null,
}
