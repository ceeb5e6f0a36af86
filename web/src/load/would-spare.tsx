import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactElement, useDeferredValue } from 'react'
import { post } from '../api/client.ts'
import type { Documents, HoldView } from '../api/documents.ts'

interface WouldSpareProps {
  readonly hold: Pick<HoldView, 'agent' | 'tool'>
  readonly match: Readonly<Record<string, string>>
}

/** P6: the patterns replayed over the last approvals, with those that people rejected. */
export function WouldSpare({ hold: { agent, tool }, match: typed }: WouldSpareProps): ReactElement {
  const match = useDeferredValue(typed)
  const { data } = useQuery({
    queryKey: ['replay', agent, tool, match],
    queryFn: () => post<Documents['RuleReplay']>('/v1/report/replay', { agent, tool, match }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <p role="status" className="min-h-5 text-muted text-sm">
      {data && `It would have let pass ${data.spared} of the last ${data.of}.`}
      {data && data.rejected.length > 0 && (
        <span className="text-bad"> Of these, people rejected {data.rejected.length}.</span>
      )}
    </p>
  )
}
