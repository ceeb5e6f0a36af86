import { useQuery } from '@tanstack/react-query'
import { get } from './client.ts'
import type { Change, Documents } from './documents.ts'
import { useMe } from './session.ts'
import { useFresh } from './use-fresh.ts'

/** A higher number helps nobody. */
const MOST = 99

/** How much waits for this person: `3`, `99+`; empty if nothing does, or nobody knows yet. */
export function useWaiting(): string {
  const role = useMe()?.role
  const { data } = useQuery({
    queryKey: ['waiting'],
    // A viewer decides nothing, and the server would look through all holds to say so.
    enabled: role !== undefined && role !== 'viewer',
    queryFn: ({ signal }) => get<Documents['Inbox']>('/v1/inbox', { mine: true, limit: MOST }, signal),
  })
  useFresh(['waiting'], isOfHolds)
  if (!data) return ''
  if (data.next !== null) return `${MOST}+`
  const count = data.holds.filter(({ may_decide }) => may_decide === true).length
  return count === 0 ? '' : String(count)
}

function isOfHolds({ kind }: Change): boolean {
  return kind.startsWith('hold.') && kind !== 'hold.shown'
}
