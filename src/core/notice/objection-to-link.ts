import { isOverdue } from '../deadlines/next-due.ts'
import { noLongerOpen } from '../deciding/undecidable.ts'
import type { RefusedError } from '../errors.ts'
import { alreadyDecided } from '../hold/already-decided.ts'
import type { Decision } from '../hold/decision.ts'
import type { Hold } from '../hold/hold.ts'
import { holdRefusals } from '../refusals/hold-refusals.ts'

/** The terms for which a link was made, and whether it was used. */
interface LinkTerms {
  readonly level: number
  readonly assignee: string | null
  readonly expires_at: string | null
  readonly used_at: string | null
}

/**
 * Why a link decides nothing any more; `null` if it does. A link is dead once it was used, its hold is closed, another
 * person is asked, or its time is over. `now` is in milliseconds since 1970, `earlier` is the decision by the link.
 */
export function objectionToLink(
  link: LinkTerms,
  hold: Hold,
  { now, earlier }: { readonly now: number; readonly earlier: Decision | null },
): RefusedError | null {
  if (link.used_at !== null) return usedLink(hold, earlier)
  if (hold.status === 'decided' && hold.decision) return alreadyDecided(hold.id, hold.decision)
  if (hold.status !== 'open') return noLongerOpen(hold)
  if (hold.level !== link.level || hold.assignee !== link.assignee) return outdated(hold, link)
  if (isOverdue(hold, now)) return holdRefusals.holdOverdue(hold.id, hold.due_at)
  return link.expires_at !== null && Date.parse(link.expires_at) <= now
    ? holdRefusals.linkExpired(link.expires_at)
    : null
}

/** Refuses a used link, also for the second of two simultaneous uses. */
export function usedLink({ id }: Pick<Hold, 'id'>, earlier: Decision | null): RefusedError {
  const what = earlier === null ? '' : `: ${earlier.decided_by} chose ${earlier.verdict} at ${earlier.at}`
  return holdRefusals.linkUsed(what, id)
}

function outdated(hold: Hold, link: LinkTerms): RefusedError {
  const who = hold.assignee === null ? 'nobody in particular' : hold.assignee
  const why = hold.level === link.level ? `assigned to ${who}` : `escalated to ${who}`
  return holdRefusals.linkOutdated(hold.id, why)
}
