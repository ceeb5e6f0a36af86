import { type ReactElement, useCallback, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { HoldPage } from '../hold/hold-page.tsx'
import { useVerbs } from '../keys/use-verbs.ts'
import { Empty, Loading, Trouble } from '../parts/states.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'
import { type Filter, filterOf, isNarrowed, searchOf } from './filter.ts'
import { Filters } from './filters.tsx'
import { ROW_PX, Row } from './hold-row.tsx'
import { moved, toggled } from './selection.ts'
import { Together } from './together.tsx'
import { useInbox } from './use-inbox.ts'

/** The list, and beside it the hold that is open. On a phone there is room for one of them. */
export function Inbox(): ReactElement {
  const [path] = useLocation()
  const filter = filterOf(useSearch())
  const search = searchOf(filter)
  const { rows, error, hasMore, loadMore, again } = useInbox(filter)
  const open = /^\/holds\/([^/]+)$/.exec(path)?.[1] ?? null
  const { cursor, chosen, choose, drop } = useListKeys(rows?.map(({ id }) => id) ?? [], { open, search })
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
          <List {...{ rows, error, again, filter }}>
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
        <Together rows={rows?.filter(({ id }) => chosen.has(id)) ?? []} onDone={drop} />
        <Count shown={rows?.length ?? null} hasMore={hasMore} status={filter.status} />
      </section>
      <section aria-label="The hold" className={`min-h-0 ${open ? '' : 'max-lg:hidden'}`}>
        {open ? (
          <HoldPage key={open} id={open} search={search} />
        ) : (
          <Empty title="Choose what to look at">With j and k you move, Enter opens, ? shows all keys.</Empty>
        )}
      </section>
    </div>
  )
}

interface Opened {
  readonly open: string | null
  readonly search: string
}

/** The cursor, which is at the open hold if there is one, and the selected holds. */
function useListKeys(ids: readonly string[], { open, search }: Opened) {
  const [last, setLast] = useState<string | null>(open)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const cursor = open ?? last
  const choose = useCallback((id: string) => setChosen(known => toggled(known, id)), [])
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
  return { cursor, chosen, choose, drop }
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
