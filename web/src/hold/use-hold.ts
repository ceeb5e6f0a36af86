import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { onChange } from '../api/changes.ts'
import { get } from '../api/client.ts'
import type { HoldView } from '../api/documents.ts'

const LOOK_AGAIN_MS = 5_000

/** True for a decision whose effect has not begun. */
function isUnderWay({ result }: HoldView): boolean {
  return result !== null && result.started_at === null && result.ended_at === null && result.termination === null
}

/** A hold, fetched again when it, or another call of its run, changes. */
export function useHold(id: string): UseQueryResult<HoldView> {
  const queries = useQueryClient()
  const result = useQuery({
    queryKey: ['hold', id],
    queryFn: ({ signal }) => get<HoldView>(`/v1/holds/${id}`, {}, signal),
    staleTime: 0,
    // Nothing tells that a run became stuck.
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? LOOK_AGAIN_MS : false),
  })
  const run = result.data?.run_id
  useEffect(
    () =>
      onChange(poke => {
        if (poke === 'all' || poke.kind === 'hold.shown') return
        if (poke.hold_id === id || (run !== undefined && poke.run_id === run))
          void queries.invalidateQueries({ queryKey: ['hold', id] })
      }),
    [queries, id, run],
  )
  return result
}
