/** A person who is asked much at once gets one message about it, not many. */
import { ASKING_EVENTS } from '../../core/notice/notice-event.ts'
import type { ClaimedNotice } from '../../ports/store/people/notices.ts'
import type { NotifyDeps } from './notify-deps.ts'

/** The messages that a person gets one by one within a minute. */
const SINGLES = 5
const WINDOW_MS = 60_000
const MOST_TOGETHER = 500

/** How claimed notices go out: each by itself, all in one message, or all later (ISO time). */
export type Delivery =
  | { readonly as: 'singles' | 'digest'; readonly notices: readonly ClaimedNotice[] }
  | { readonly as: 'later'; readonly notices: readonly ClaimedNotice[]; readonly at: string }

export async function chooseDelivery(
  { store, clock }: Pick<NotifyDeps, 'store' | 'clock'>,
  head: ClaimedNotice,
  { digests, ttl_ms }: { readonly digests: boolean; readonly ttl_ms: number },
): Promise<Delivery> {
  const alone: Delivery = { as: 'singles', notices: [head] }
  if (!digests || !ASKING_EVENTS.includes(head.event)) return alone
  const now = clock.now()
  const recent = await store.notices.sentSince(head, new Date(now - WINDOW_MS).toISOString())
  const notices = [head, ...(await store.notices.claimWith(head, { limit: MOST_TOGETHER, ttl_ms }))]
  if (recent.digests === 0 && recent.messages + notices.length <= SINGLES) return { as: 'singles', notices }
  const patience = Date.parse(head.created_at) + WINDOW_MS
  // One digest a minute: later notices are in the next one.
  const isTooSoon = recent.digests > 0 || notices.length === 1
  if (isTooSoon && now < patience) return { as: 'later', notices, at: new Date(patience).toISOString() }
  return { as: notices.length > 1 ? 'digest' : 'singles', notices }
}
