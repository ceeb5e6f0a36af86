import type { ReactElement } from 'react'
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import type { HoldView } from '../api/documents.ts'
import { Ask } from '../hold/ask.tsx'
import { Task, Warnings } from '../hold/card-head.tsx'
import { OutcomeBanner } from '../hold/outcome-banner.tsx'
import { ResultView } from '../hold/result-view.tsx'
import { useSeen } from '../hold/use-seen.ts'
import { Visible } from '../text/visible.tsx'
import { objectionToMark } from './marks.ts'

interface EntryProps {
  readonly hold: HoldView
  readonly wasSeen: boolean
  readonly isMarked: boolean
  readonly onSeen: (id: string) => void
  readonly onMark: (isMarked: boolean) => void
}

/** P9: one of several holds, in full. Its mark can be set once its end was in view. */
export function Entry({ hold, wasSeen, isMarked, onSeen, onMark }: EntryProps): ReactElement {
  const { id, title, task, status } = hold
  const { end } = useSeen(hold)
  useReached(end, () => onSeen(id))
  const objection = objectionToMark(hold)
  return (
    <article
      aria-label={title}
      className="grid grid-cols-[minmax(0,1fr)] gap-4 rounded-xl border border-line bg-card p-4 sm:p-5"
    >
      <header>
        <label className="flex min-h-11 cursor-pointer items-start gap-3">
          <input
            type="checkbox"
            checked={isMarked}
            disabled={objection !== null || !wasSeen}
            onChange={event => onMark(event.target.checked)}
            className="mt-0.5 size-6 shrink-0 accent-accent"
          />
          <span className="min-w-0 break-words font-semibold text-lg leading-tight" dir="auto">
            <Visible text={title} />
          </span>
        </label>
        {task !== null && <Task task={task} />}
        {status === 'open' && <Warnings hold={hold} />}
        {objection !== null && (
          <p className="mt-2 text-muted text-sm">
            {objection}{' '}
            <Link href={`/holds/${id}`} className="text-accent underline underline-offset-4">
              Open it
            </Link>
          </p>
        )}
      </header>
      <OutcomeBanner hold={hold} />
      <ResultView hold={hold} />
      <Ask hold={hold} />
      <div ref={end} className="-mt-4 h-px" />
    </article>
  )
}

function useReached(end: ReturnType<typeof useSeen>['end'], tell: () => void): void {
  const told = useRef(tell)
  told.current = tell
  useEffect(() => {
    if (!end.current) return
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && told.current())
    watch.observe(end.current)
    return () => watch.disconnect()
  }, [end])
}
