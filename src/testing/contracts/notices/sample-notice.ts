import type { ClaimedNotice, NewNotice, NoticeBatch, NoticeMark } from '../../../ports/store/people/notices.ts'
import type { Store } from '../../../ports/store/store.ts'

export const NOW = '2030-01-01T00:00:00.000Z'

export function aNotice(id: string, changes: Partial<NewNotice> = {}): NewNotice {
  return {
    id,
    hold_id: `hold_${id.slice(id.indexOf('_') + 1)}`,
    event: 'opened',
    about: '0',
    at: NOW,
    person: 'ana',
    channel: 'slack',
    address: 'U1',
    next_at: NOW,
    ...changes,
  }
}

export function aBatch(notices: readonly NewNotice[], changes: Partial<NoticeBatch> = {}): NoticeBatch {
  return { from: 0, to: 0, notices, stale: { hold_ids: [], channels: [] }, ...changes }
}

export function stale(hold_id: string): NoticeBatch {
  return aBatch([], { stale: { hold_ids: [hold_id], channels: ['slack', 'mail'] } })
}

export function claimed(store: Store, limit = 10): Promise<readonly ClaimedNotice[]> {
  return store.notices.claim({ channel: 'slack', limit, ttl_ms: 30_000 })
}

export async function markAll(
  store: Store,
  claims: readonly ClaimedNotice[],
  mark: Partial<NoticeMark>,
): Promise<void> {
  const whole: NoticeMark = { status: 'sent', next_at: null, tries: 0, error: null, ...mark }
  await store.notices.mark(claims.map(notice => ({ notice, mark: whole })))
}

export const ids = (notices: readonly { readonly id: string }[]): string[] => notices.map(({ id }) => id)
