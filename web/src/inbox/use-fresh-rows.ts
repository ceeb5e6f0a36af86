import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { onChange, type Poke } from '../api/changes.ts'
import { get } from '../api/client.ts'
import type { Change, Documents } from '../api/documents.ts'
import type { Filter } from './filter.ts'
import { patchedPages } from './patched-pages.ts'

/** The filter as the server is asked. */
export type Asked = Omit<Filter, 'words'>

/** A burst of changes causes one fetch when it begins, and one after it. */
const SETTLE_MS = 250
const MOST_RUNS = 5
const LARGEST_PAGE = 500

/** Keeps the list as it is on the server. Of a long one only the rows of the runs that changed are asked for. */
export function useFreshRows(asked: Asked): void {
  const queries = useQueryClient()
  const name = JSON.stringify(asked)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stale = new Set<string>()
    const ask = async () => {
      const runs = [...stale]
      stale.clear()
      await refresh(queries, JSON.parse(name) as Asked, runs).catch(() => {})
      timer = setTimeout(() => {
        timer = undefined
        if (stale.size > 0) void ask()
      }, SETTLE_MS)
    }
    const end = onChange(poke => {
      if (!concernsList(poke)) return
      stale.add(poke.run_id ?? '')
      timer ??= setTimeout(() => void ask(), 0)
    })
    return () => {
      end()
      clearTimeout(timer)
    }
  }, [queries, name])
}

function concernsList(poke: Poke): poke is Change {
  return poke !== 'all' && poke.kind.startsWith('hold.') && poke.kind !== 'hold.shown'
}

type Pages = InfiniteData<Documents['Inbox']>

async function refresh(queries: QueryClient, asked: Asked, runs: readonly string[]): Promise<void> {
  const queryKey = ['inbox', asked]
  const isShort = (queries.getQueryData<Pages>(queryKey)?.pages.length ?? 0) <= 1
  if (isShort || asked.status !== 'open' || runs.length > MOST_RUNS)
    return queries.invalidateQueries({ queryKey: ['inbox'] })
  for (const run_id of runs) {
    const { holds, next } = await get<Documents['Inbox']>('/v1/inbox', { ...asked, run_id, limit: LARGEST_PAGE })
    if (next !== null) return queries.invalidateQueries({ queryKey: ['inbox'] })
    queries.setQueryData<Pages>(
      queryKey,
      known => known && { ...known, pages: patchedPages(known.pages, run_id, holds) },
    )
  }
}
