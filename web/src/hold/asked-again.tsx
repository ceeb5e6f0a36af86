import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { get } from '../api/client.ts'
import type { Change, Documents, HoldView } from '../api/documents.ts'
import { useFresh } from '../api/use-fresh.ts'
import { Icon } from '../parts/icon.tsx'
import { Visible } from '../text/visible.tsx'

interface AskedAgainProps {
  readonly hold: HoldView
  /** Of the list behind it. */
  readonly search: string
}

/** P9: a call that was approved and is not what was approved is asked about again. The way there. */
export function AskedAgain({ hold: { id, call_id, thread_id, decision }, search }: AskedAgainProps): ReactElement {
  const isReleased = decision?.verdict === 'approve' || decision?.verdict === 'edit'
  const { data } = useQuery({
    queryKey: ['asked-again', id],
    enabled: isReleased && call_id !== null,
    queryFn: ({ signal }) => get<Documents['Holds']>('/v1/holds', { call_id, thread_id, limit: 1 }, signal),
  })
  useFresh(['asked-again', id], isOpening)
  const again = data?.holds[0]
  return (
    <div role="status" className="empty:hidden">
      {again && (
        <div className="flex gap-2.5 rounded-xl bg-warn-soft px-4 py-3 text-sm text-warn">
          <Icon name="alert" className="mt-0.5 size-5" />
          <p className="min-w-0 break-words">
            <strong>It is asked about again.</strong> <Visible text={again.message} />{' '}
            <Link href={`/holds/${again.id}${search}`} className="whitespace-nowrap font-medium underline">
              Look at what waits now
            </Link>
          </p>
        </div>
      )}
    </div>
  )
}

function isOpening({ kind }: Change): boolean {
  return kind === 'hold.opened'
}
