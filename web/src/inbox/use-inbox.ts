import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { get } from '../api/client.ts'
import type { Documents, HoldRow } from '../api/documents.ts'
import { type Filter, hasWords } from './filter.ts'
import { useFreshRows } from './use-fresh-rows.ts'

interface InboxRows {
  /** `undefined` until the first of them are there. */
  readonly rows: readonly HoldRow[] | undefined
  readonly error: unknown
  /** True if there are more rows than are here. */
  readonly hasMore: boolean
  readonly loadMore: () => void
  readonly again: () => void
}

const FIRST_PAGE = 100
const LARGEST_PAGE = 500

/** The rows that fit the filter, as they are now: page by page, and again when something changed. */
export function useInbox({ words, ...asked }: Filter): InboxRows {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['inbox', asked],
    queryFn: ({ pageParam: after, signal }) => {
      const limit = after === null ? FIRST_PAGE : LARGEST_PAGE
      return get<Documents['Inbox']>('/v1/inbox', { ...asked, limit, after }, signal)
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })
  useFreshRows(asked)
  const loaded = useMemo(() => data?.pages.flatMap(({ holds }) => holds), [data])
  const rows = useMemo(() => loaded?.filter(row => hasWords(row, words)), [loaded, words])
  // Words are looked for in all rows.
  const wantsAll = words !== '' && hasNextPage && !isFetchingNextPage
  useEffect(() => {
    if (wantsAll) void fetchNextPage()
  }, [wantsAll, fetchNextPage])
  const loadMore = () => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }
  return { rows, error: rows ? null : error, hasMore: hasNextPage, loadMore, again: () => void refetch() }
}
