import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { Link } from 'wouter'
import { get } from '../api/client.ts'
import type { HoldView } from '../api/documents.ts'
import { endOf, isFault, nameOf } from '../run/span-words.ts'
import type { Span, Timeline } from '../run/where-time-went.ts'

/** The newest come last; the run itself has all of them. */
const MOST = 8

/** The other calls of the run and how they ended, asked for when somebody opens them. */
export function RunEffects({ hold }: { readonly hold: HoldView }): ReactElement {
  const [isOpen, open] = useState(false)
  return (
    <details className="mt-3 text-sm" open={isOpen} onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary className="w-fit cursor-pointer text-accent">What else this run did</summary>
      {isOpen && <Effects hold={hold} />}
    </details>
  )
}

function Effects({ hold: { run_id, call_id, result } }: { readonly hold: HoldView }): ReactElement {
  const { data } = useQuery({
    queryKey: ['timeline', run_id, result?.ended_at, result?.termination?.type],
    queryFn: ({ signal }) => get<Timeline>(`/v1/runs/${run_id}/timeline`, {}, signal),
  })
  const others = data?.spans.filter(isCall).filter(span => span.call_id !== call_id) ?? []
  return (
    <div className="mt-2 grid gap-2">
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-1">
        {others.slice(-MOST).map(span => (
          <li key={`${span.call_id} ${span.started_at}`} className="flex items-baseline gap-3">
            <span className="min-w-0 truncate" dir="auto" title={nameOf(span)}>
              {nameOf(span)}
            </span>
            <span className={`shrink-0 text-xs ${isFault(span) ? 'text-bad' : 'text-muted'}`}>{endOf(span)}</span>
          </li>
        ))}
      </ul>
      <p className="text-muted">
        {data && others.length === 0 && 'Nothing else. '}
        {others.length > MOST && `${others.length - MOST} more before these. `}
        <Link href={`/runs/${run_id}`} className="text-accent underline-offset-4 hover:underline">
          The run over time
        </Link>
      </p>
    </div>
  )
}

function isCall(span: Span): span is Extract<Span, { kind: 'call' }> {
  return span.kind === 'call'
}
