import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { onChange } from './changes.ts'
import type { Change } from './documents.ts'

/** A burst of changes causes one fetch when it begins, and one after it. */
const SETTLE_MS = 250

/** Fetches the data of this key again when a change concerns it. `concerns` is the same function each time. */
export function useFresh(key: QueryKey, concerns: (change: Change) => boolean): void {
  const queries = useQueryClient()
  const name = JSON.stringify(key)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isStale = false
    const ask = async () => {
      isStale = false
      await queries.invalidateQueries({ queryKey: JSON.parse(name) as QueryKey })
      timer = setTimeout(() => {
        timer = undefined
        if (isStale) void ask()
      }, SETTLE_MS)
    }
    const end = onChange(poke => {
      if (poke === 'all' || !concerns(poke)) return
      isStale = true
      timer ??= setTimeout(() => void ask(), 0)
    })
    return () => {
      end()
      clearTimeout(timer)
    }
  }, [queries, name, concerns])
}
