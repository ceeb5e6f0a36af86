import { type ReactElement, useEffect } from 'react'
import { Link } from 'wouter'
import { Ask } from '../hold/ask.tsx'
import { useHold } from '../hold/use-hold.ts'
import { useSeen } from '../hold/use-seen.ts'
import { Badge } from '../parts/badge.tsx'
import { KIND_NAMES } from '../parts/kinds.ts'
import { DueIn } from '../parts/time.tsx'
import { Visible } from '../text/visible.tsx'
import { shownHolds } from './shown-holds.ts'

/** What waits, in its place in the conversation and in full: a command of the composer may decide it. */
export function HoldCard({ id }: { readonly id: string }): ReactElement {
  const { data: hold, error } = useHold(id)
  const { end, seen } = useSeen(hold ?? null)
  useEffect(() => {
    if (!hold) return
    shownHolds.set(id, { hold, seen })
    return () => {
      shownHolds.delete(id)
    }
  }, [id, hold, seen])
  return (
    <section aria-label="It waits" className="grid gap-4 rounded-xl border border-warn bg-card p-4 shadow-card sm:p-5">
      <div className="flex flex-wrap items-center gap-2 text-muted text-xs">
        <Badge look="warn" icon="clock">
          waits
        </Badge>
        {hold && <span>{KIND_NAMES[hold.kind]}</span>}
        {hold?.due_at && <DueIn at={hold.due_at} />}
        <Link href={`/holds/${id}`} className="ml-auto text-accent text-sm underline-offset-4 hover:underline">
          Open it
        </Link>
      </div>
      {hold ? (
        <>
          <h2 className="break-words font-semibold" dir="auto">
            <Visible text={hold.asks} />
          </h2>
          {hold.choices && <p className="text-muted text-sm">{hold.choices.join(' · ')}</p>}
          <Ask hold={{ ...hold, agent_message: '' }} />
        </>
      ) : (
        <p className="text-muted text-sm">{error ? 'It cannot be shown here: open it.' : 'Asking what it is…'}</p>
      )}
      <div ref={end} className="-mt-4 h-px" />
    </section>
  )
}
