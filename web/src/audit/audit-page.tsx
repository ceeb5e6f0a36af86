import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { useSearchParams } from 'wouter'
import { get } from '../api/client.ts'
import type { Documents } from '../api/documents.ts'
import { useFresh } from '../api/use-fresh.ts'
import { Button } from '../parts/button.tsx'
import { Room } from '../parts/room.tsx'
import { Empty, Loading, Trouble } from '../parts/states.tsx'
import { AuditFilters, DECISIONS, EVERYTHING } from './audit-filters.tsx'
import { RecordRow } from './record-row.tsx'
import { VerifyPanel } from './verify-panel.tsx'

const PAGE = 100
/** Each may be in the address. */
const FILTERS = ['show', 'actor', 'agent', 'since', 'hold_id', 'run_id', 'thread_id'] as const

/** The audit records, the newest first, and the check that none was changed. */
export function AuditPage(): ReactElement {
  const [search, setSearch] = useSearchParams()
  const filter = Object.fromEntries(
    FILTERS.map(name => [name, search.get(name) ?? ''] as const).filter(([, value]) => value !== ''),
  )
  const change = (name: string, value: string) =>
    setSearch(
      before => {
        const after = new URLSearchParams(before)
        if (value === '') after.delete(name)
        else after.set(name, value)
        return after
      },
      { replace: true },
    )
  return (
    <Room title="Audit" about="Who did what, the newest first. Agents can change none of it.">
      <div className="grid grid-cols-[minmax(0,1fr)]">
        <div className="max-sm:order-last max-sm:mt-8">
          <VerifyPanel />
        </div>
        <div>
          <AuditFilters filter={filter} onChange={change} />
          <Records filter={filter} />
        </div>
      </div>
    </Room>
  )
}

function Records({ filter }: { readonly filter: Readonly<Record<string, string>> }): ReactElement {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam: after, signal }) =>
      get<Documents['AuditRecords']>('/v1/audit', { ...queryOf(filter), limit: PAGE, after }, signal),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  })
  useFresh(['audit'], EACH)
  if (error) return <Trouble error={error} again={() => void refetch()} />
  if (!data) return <Loading />
  const records = data.pages.flatMap(page => page.records)
  if (records.length === 0) return <Empty title="No record fits">Choose “Everything”, or remove a filter.</Empty>
  return (
    <>
      <ol className="mt-4 border-line border-t">
        {records.map(each => (
          <RecordRow key={each.seq} row={each} />
        ))}
      </ol>
      {hasNextPage && (
        <Button className="mt-4 w-full" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Older records
        </Button>
      )}
    </>
  )
}

const HOUR = 3_600_000

/** Decisions if nothing else was chosen: who looked and what ran is for those who search. */
function queryOf({ show = DECISIONS, since, ...filter }: Readonly<Record<string, string>>) {
  return {
    ...filter,
    ...(show === DECISIONS ? { decisions: true } : show !== EVERYTHING && { kind: show }),
    ...(since !== undefined && { since: new Date(Date.now() - Number(since) * HOUR).toISOString() }),
    ...{ told: true, order: 'newest' },
  }
}

const EACH = () => true
