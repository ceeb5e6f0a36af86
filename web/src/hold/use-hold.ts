import { type UseQueryResult, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { onChange } from '../api/changes.ts'
import { get } from '../api/client.ts'
import type { HoldView } from '../api/documents.ts'

const LOOK_AGAIN_MS = 5_000

/** A hold, fetched again when it, or another call of its run, changes. */
export function useHold(id: string): UseQueryResult<HoldView> {
  const result = useQuery({ ...askFor(id), refetchInterval: ({ state }) => intervalFor(state.data, hasNotBegun) })
  useChanges(result.data ? [result.data] : [], [id])
  return result
}

/** Several holds that no stream of a run follows. `null` until all of them are there; one that is gone is left out. */
export function useHolds(ids: readonly string[]): readonly HoldView[] | null {
  const results = useQueries({
    queries: ids.map(id => ({
      ...askFor(id),
      refetchInterval: ({ state }: { state: { data: HoldView | undefined } }) => intervalFor(state.data, hasNotEnded),
    })),
  })
  const holds = results.flatMap(({ data }) => data ?? [])
  useChanges(holds, ids)
  return results.some(({ isPending }) => isPending) ? null : holds
}

function askFor(id: string) {
  return {
    queryKey: ['hold', id],
    queryFn: ({ signal }: { signal: AbortSignal }) => get<HoldView>(`/v1/holds/${id}`, {}, signal),
    staleTime: 0,
  }
}

type Phase = (result: NonNullable<HoldView['result']>) => boolean

/** Nothing tells that a run became stuck. */
function intervalFor(hold: HoldView | undefined, isUnderWay: Phase): number | false {
  return hold?.result && isUnderWay(hold.result) ? LOOK_AGAIN_MS : false
}

const hasNotBegun: Phase = result => result.started_at === null && hasNotEnded(result)
const hasNotEnded: Phase = ({ ended_at, termination }) => ended_at === null && termination === null

/** The end of a tool or of a run names no hold, only its run. */
function useChanges(holds: readonly HoldView[], ids: readonly string[]): void {
  const queries = useQueryClient()
  const watched = useRef({ holds, ids })
  watched.current = { holds, ids }
  useEffect(
    () =>
      onChange(poke => {
        if (poke === 'all' || poke.kind === 'hold.shown') return
        const { holds: known, ids: named } = watched.current
        const ofRun = known.filter(({ run_id }) => run_id === poke.run_id).map(({ id }) => id)
        for (const id of new Set([...named.filter(each => each === poke.hold_id), ...ofRun]))
          void queries.invalidateQueries({ queryKey: ['hold', id] })
      }),
    [queries],
  )
}
