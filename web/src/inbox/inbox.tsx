import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { type ReactElement, useCallback, useEffect, useMemo, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { get } from '../api/client.ts'
import type { Documents, HoldRow } from '../api/documents.ts'
import { GOES_ON } from '../api/setting.ts'
import { noteAdvance } from '../decide/guard.ts'
import { HoldPage } from '../hold/hold-page.tsx'
import { LastDecided, lastDecided } from '../hold/last-decided.tsx'
import { useVerbs } from '../keys/use-verbs.ts'
import { Empty, Loading, Trouble } from '../parts/states.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'
import { type Filter, filterOf, hasWords, isNarrowed, searchOf } from './filter.ts'
import { Filters } from './filters.tsx'
import { ROW_PX, Row } from './hold-row.tsx'
import { moved, nextOpen, toggled } from './selection.ts'
import { Together } from './together.tsx'
import { useFreshRows } from './use-fresh-rows.ts'

/** The list, next to the hold that is open. A phone has room for one of the two. */
export function Inbox(): ReactElement {
  const [path] = useLocation()
  const filter = filterOf(useSearch())
  const search = searchOf(filter)
  const { rows, loadMore, hasMore, ...loading } = useInbox(filter)
  const open = /^\/holds\/([^/]+)$/.exec(path)?.[1] ?? null
  const goOn = useGoOn(rows ?? [], search)
  const { cursor, chosen, choose, chooseAll, drop } = useListKeys(rows?.map(({ id }) => id) ?? [], { open, search })
  const change = (changed: Filter) => navigate((open ? path : '/') + searchOf(changed), { replace: true })
  return (
    <div className="grid h-full lg:grid-cols-[minmax(22rem,27rem)_1fr]">
      <section
        aria-label="What waits"
        className={`flex min-h-0 flex-col border-line border-r bg-card ${open ? 'max-lg:hidden' : ''}`}
      >
        {!open && <h1 className="sr-only">What waits</h1>}
        <Filters filter={filter} rows={rows ?? []} onChange={change} />
        <div className="min-h-0 flex-1">
          <List rows={rows} filter={filter} {...loading}>
            {shown => (
              <VirtualList label="Holds" rows={shown} rowHeight={ROW_PX} cursor={cursor} onNearEnd={loadMore}>
                {row => (
                  <Row
                    row={row}
                    search={search}
                    isOpen={row.id === open}
                    isAtCursor={row.id === cursor}
                    isChosen={chosen.has(row.id)}
                    onChoose={choose}
                  />
                )}
              </VirtualList>
            )}
          </List>
        </div>
        <div className={open ? 'max-lg:hidden' : ''}>
          <LastDecided open={open} search={search} />
        </div>
        <Together
          all={rows ?? []}
          rows={rows?.filter(({ id }) => chosen.has(id)) ?? []}
          onChoose={chooseAll}
          onDone={drop}
        />
        <Count shown={rows?.length ?? null} hasMore={hasMore} status={filter.status} />
      </section>
      <OpenHold open={open} search={search} onRecorded={goOn} />
    </div>
  )
}

interface Opened {
  readonly open: string | null
  readonly search: string
}

interface OpenHoldProps extends Opened {
  readonly onRecorded: (id: string) => void
}

function OpenHold({ open, search, onRecorded }: OpenHoldProps): ReactElement {
  return (
    <section aria-label="The hold" className={`flex min-h-0 flex-col ${open ? '' : 'max-lg:hidden'}`}>
      <div className="lg:hidden">
        <LastDecided open={open} search={search} />
      </div>
      <div className="min-h-0 flex-1">
        {open ? (
          <HoldPage key={open} id={open} search={search} onRecorded={() => onRecorded(open)} />
        ) : (
          <Empty title="Choose what to look at">With j and k you move, Enter opens, ? shows all keys.</Empty>
        )}
      </div>
    </section>
  )
}

/** Opens the next open hold after a decision, if this browser is to. The last decision stays in view, with its outcome. */
function useGoOn(rows: readonly HoldRow[], search: string): (id: string) => void {
  return id => {
    if (!GOES_ON.get()) return
    const to = nextOpen(rows, id)
    lastDecided.set(id)
    noteAdvance()
    navigate(to === null ? `/${search}` : `/holds/${to}${search}`)
  }
}

/** The cursor, which is at the open hold if there is one, and the selected holds. */
function useListKeys(ids: readonly string[], { open, search }: Opened) {
  const [last, setLast] = useState<string | null>(open)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const cursor = open ?? last
  const choose = useCallback((id: string) => setChosen(known => toggled(known, id)), [])
  const chooseAll = useCallback((all: readonly string[]) => setChosen(new Set(all)), [])
  const drop = useCallback(() => setChosen(new Set()), [])
  const move = (by: number) => {
    const to = moved(ids, cursor, by)
    setLast(to)
    if (open && to) navigate(`/holds/${to}${search}`, { replace: true })
  }
  useVerbs({
    next: () => move(1),
    previous: () => move(-1),
    open: () => cursor && navigate(`/holds/${cursor}${search}`),
    back: () => {
      setLast(cursor)
      if (open) navigate(`/${search}`)
      else drop()
    },
    select: () => cursor && choose(cursor),
  })
  return { cursor, chosen, choose, chooseAll, drop }
}

interface ListProps extends Pick<ReturnType<typeof useInbox>, 'rows' | 'error' | 'again'> {
  readonly filter: Filter
  readonly children: (rows: NonNullable<ReturnType<typeof useInbox>['rows']>) => ReactElement
}

function List({ rows, error, again, filter, children }: ListProps): ReactElement {
  if (error) return <Trouble error={error} again={again} />
  if (!rows) return <Loading rows={8} />
  if (rows.length > 0) return children(rows)
  if (isNarrowed(filter)) return <Empty title="Nothing fits the filter">Clear it to see the rest.</Empty>
  if (filter.status !== 'open') return <Empty title="There are none" />
  return <Empty title="Nothing waits">New requests appear here by themselves.</Empty>
}

interface CountProps {
  /** `null` until it is known. */
  readonly shown: number | null
  readonly hasMore: boolean
  readonly status: Filter['status']
}

function Count({ shown, hasMore, status }: CountProps): ReactElement {
  const number = shown === null ? null : `${shown.toLocaleString('en')}${hasMore ? '+' : ''}`
  return (
    <p role="status" className="min-h-7 border-line border-t px-4 py-1.5 text-muted text-xs">
      {number !== null && status === 'open' ? `${number} waiting` : number}
    </p>
  )
}

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
function useInbox({ words, ...asked }: Filter): InboxRows {
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
