import { holdOverdue, noLongerOpen } from '../deciding/undecidable.ts'
import { RefusedError } from '../errors.ts'
import { alreadyDecided } from '../hold/already-decided.ts'
import type { Decision } from '../hold/decision.ts'
import type { Hold } from '../hold/hold.ts'

/** The terms for which a link was made, and whether it was used. */
interface LinkTerms {
  readonly level: number
  readonly assignee: string | null
  readonly expires_at: string | null
  readonly used_at: string | null
}

/**
 * Why a link decides nothing any more; `null` if it does. A link is dead once it was used, its hold is closed, another person
 * is asked, or its time is over. `now` is in milliseconds since 1970, `earlier` is what was decided with the link.
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
  if (hold.due_at !== null && Date.parse(hold.due_at) <= now) return holdOverdue(hold)
  return link.expires_at !== null && Date.parse(link.expires_at) <= now ? expired(link) : null
}

/** Also the second of two uses at the same time is told so. */
export function usedLink({ id }: Pick<Hold, 'id'>, earlier: Decision | null): RefusedError {
  const what = earlier === null ? '' : `: ${earlier.decided_by} chose ${earlier.verdict} at ${earlier.at}`
  return new RefusedError('link_used', `This link was used${what}. It counts once, so nothing more was recorded.`, {
    action: { do: 'look_at_hold', id },
  })
}

function outdated(hold: Hold, link: LinkTerms): RefusedError {
  const who = hold.assignee === null ? 'nobody in particular' : hold.assignee
  const why = hold.level === link.level ? `assigned to ${who}` : `escalated to ${who}`
  return new RefusedError(
    'link_outdated',
    `This link is not good any more: the hold ${hold.id} was ${why} after it was sent. Nothing was recorded.`,
    { hint: 'A person who is asked now gets a link of their own.' },
  )
}

function expired({ expires_at }: LinkTerms): RefusedError {
  return new RefusedError('link_expired', `This link was good until ${expires_at}. Nothing was recorded.`, {
    hint: 'The hold is still open: decide it on the page, or on the command line.',
  })
}

/** A link that was passed on. `person` is the one to whom it was sent, `name` the one who is signed in. */
export function linkOfAnother(person: string, name: string): RefusedError {
  return new RefusedError(
    'link_of_another',
    `This link was sent to ${person}, and you are signed in as ${name}. Nothing was recorded.`,
    { hint: 'If you may decide, do it in your own name: find the hold in the inbox.' },
  )
}

export function unknownLink(): RefusedError {
  return new RefusedError('unknown_link', 'There is no such link here. Nothing was recorded.', {
    hint: 'Copy the whole link from the message: mail programs may break it into two lines.',
  })
}
