import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { onChange } from '../api/changes.ts'
import { get } from '../api/client.ts'
import type { HoldView } from '../api/documents.ts'

/** A hold, fetched again when it, or another call of its run, changes. */
export function useHold(id: string): UseQueryResult<HoldView> {
  const queries = useQueryClient()
  const result = useQuery({
    queryKey: ['hold', id],
    queryFn: ({ signal }) => get<HoldView>(`/v1/holds/${id}`, {}, signal),
    staleTime: 0,
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
