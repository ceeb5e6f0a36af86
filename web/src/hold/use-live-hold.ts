import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { get } from '../api/client.ts'
import type { Documents, HoldView } from '../api/documents.ts'
import { useLive } from '../live/use-live.ts'

/** Somebody who only passes by a card costs no stream. */
const STAYS_MS = 300

/** What the run of a hold writes at this moment. */
export interface LiveHold {
  /** The end of what its call has printed so far. */
  readonly printed: string
  /** The agent's answer so far. */
  readonly said: string
}

/** Follows the run from before the decision on, so that nothing of the output is missed, until the agent has spoken. */
export function useLiveHold(hold: HoldView): LiveHold {
  const { id, call_id, thread_id } = hold
  const queries = useQueryClient()
  const stays = useStays(id)
  const { data } = useQuery({
    queryKey: ['thread', thread_id],
    enabled: stays && isUnderWay(hold),
    queryFn: ({ signal }) => get<Documents['Thread']>(`/v1/threads/${thread_id}`, {}, signal),
  })
  const isOn = stays && isUnderWay(hold)
  const live = useLive(thread_id, isOn ? (data?.seq ?? null) : null, () => {
    void queries.invalidateQueries({ queryKey: ['hold', id] })
  })
  const printed = useRef({ id, text: '' })
  if (printed.current.id !== id) printed.current = { id, text: '' }
  // The document has the output a moment after the stream has let go of it.
  const now = call_id === null ? undefined : live.output[call_id]
  if (now !== undefined) printed.current.text = now
  return { printed: printed.current.text, said: hold.status === 'open' ? '' : live.text }
}

function isUnderWay({ status, result }: HoldView): boolean {
  if (status === 'open') return true
  return result !== null && result.termination === null && (result.ended_at === null || result.said_next === null)
}

function useStays(id: string): boolean {
  const [stayedAt, stay] = useState<string | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => stay(id), STAYS_MS)
    return () => clearTimeout(timer)
  }, [id])
  return stayedAt === id
}
