import { type ReactElement, useEffect } from 'react'
import { Link } from 'wouter'
import type { HoldView } from '../api/documents.ts'
import { DecideControls } from '../decide/decide-bar.tsx'
import { useEditing } from '../decide/use-editing.ts'
import { AskOrEdit } from '../hold/ask-or-edit.tsx'
import { useHold } from '../hold/use-hold.ts'
import { useSeen } from '../hold/use-seen.ts'
import { Badge } from '../parts/badge.tsx'
import { KIND_NAMES } from '../parts/kinds.ts'
import { DueIn } from '../parts/time.tsx'
import { Visible } from '../text/visible.tsx'
import { shownHolds } from './shown-holds.ts'

/** What waits, in its place in the conversation and in full, to be decided there or by a command of the composer. */
export function HoldCard({ id }: { readonly id: string }): ReactElement {
  const { data: hold, error } = useHold(id)
  if (hold?.kind === 'input') return <NextMessage hold={hold} />
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
        <Decidable hold={hold} />
      ) : (
        <p className="text-muted text-sm">{error ? 'It cannot be shown here: open it.' : 'Asking what it is…'}</p>
      )}
    </section>
  )
}

/** The composer below takes it, and `/approve` accepts what was said as final. */
function NextMessage({ hold }: { readonly hold: HoldView }): ReactElement {
  const { end } = useShown(hold)
  return (
    <div ref={end} className="flex flex-wrap items-center gap-2 text-muted text-sm">
      <Badge icon="message">waits</Badge> It waits for the next message.
      <Link href={`/holds/${hold.id}`} className="text-accent underline-offset-4 hover:underline">
        Open it
      </Link>
    </div>
  )
}

/** While it is shown in full, a command may decide it. */
function useShown(hold: HoldView): ReturnType<typeof useSeen> {
  const watched = useSeen(hold)
  const { seen } = watched
  useEffect(() => {
    shownHolds.set(hold.id, { hold, seen })
    return () => {
      shownHolds.delete(hold.id)
    }
  }, [hold, seen])
  return watched
}

function Decidable({ hold }: { readonly hold: HoldView }): ReactElement {
  const { asks, choices, kind } = hold
  const { end, seen } = useShown(hold)
  const editing = useEditing(hold)
  const watched = {
    seen: () => ({ ...seen(), isOneOfSeveral: shownHolds.size > 1 }),
    readOn: () => end.current?.scrollIntoView({ block: 'end' }),
  }
  return (
    <>
      <h2 className="break-words font-semibold" dir="auto">
        <Visible text={asks} />
      </h2>
      {choices && kind !== 'question' && <p className="text-muted text-sm">{choices.join(' · ')}</p>}
      <AskOrEdit hold={{ ...hold, agent_message: '' }} editing={editing} />
      <div ref={end} className="-mt-4 h-px" />
      <DecideControls hold={hold} seen={watched} editing={editing} hasAll={false} />
    </>
  )
}
