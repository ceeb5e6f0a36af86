import { DAY_SECONDS } from '../../core/people/due.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Store } from '../../ports/store/store.ts'
import type { LinkWish } from '../face/links.ts'

/** The parts of a runtime by which links are made. */
export interface LinkMaking {
  readonly store: Pick<Store, 'links'>
  readonly ids: Pick<Ids, 'secret' | 'digest'>
  readonly clock: Pick<Clock, 'now'>
}

/** Of a hold without a deadline. */
const USUAL_MS = 30 * DAY_SECONDS * 1000

/** The secret of a new link, which is told here once: the store has its digest alone. */
export async function makeLink(
  { store, ids, clock }: LinkMaking,
  { hold, person, channel }: LinkWish,
): Promise<string> {
  const secret = ids.secret()
  const { id: hold_id, level, assignee, due_at } = hold
  const expires_at = due_at ?? new Date(clock.now() + USUAL_MS).toISOString()
  await store.links.add([{ digest: ids.digest(secret), hold_id, person, channel, level, assignee, expires_at }])
  return secret
}
