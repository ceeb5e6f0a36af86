import { type ReactElement, useEffect } from 'react'
import { Link } from 'wouter'
import type { HoldView } from '../api/documents.ts'
import { AnswerForm } from '../decide/answer-form.tsx'
import { sendEdited } from '../decide/bar.ts'
import { DecideControls, useControls } from '../decide/decide-bar.tsx'
import { useEditing } from '../decide/use-editing.ts'
import { AskOrEdit } from '../hold/ask-or-edit.tsx'
import { Warnings } from '../hold/card-head.tsx'
import { useHold } from '../hold/use-hold.ts'
import { useSeen } from '../hold/use-seen.ts'
import { Badge } from '../parts/badge.tsx'
import { KIND_NAMES } from '../parts/kinds.ts'
import { DueIn } from '../parts/time.tsx'
import { Visible } from '../text/visible.tsx'
import { shownHolds } from './shown-holds.ts'

/** An open hold, in its place in the conversation and in full. It is decided there or by a command of the composer. */
export function HoldCard({ id }: { readonly id: string }): ReactElement {
  const { data: hold, error } = useHold(id)
  if (hold?.kind === 'input') return <NextMessage hold={hold} />
  return (
    <article
      aria-label="It waits"
      className="grid grid-cols-[minmax(0,1fr)] gap-4 rounded-xl border border-warn bg-card p-4 shadow-card sm:p-5"
    >
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
    </article>
  )
}

/** The composer below takes the next message, and `/approve` accepts the answer as final. */
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
  const { title, choices, kind } = hold
  const { end, seen } = useShown(hold)
  const editing = useEditing(hold)
  const watched = {
    seen: () => ({ ...seen(), isOneOfSeveral: shownHolds.size > 1 }),
    readOn: () => end.current?.scrollIntoView({ block: 'end' }),
  }
  const controls = useControls({ hold, seen: watched, editing })
  return (
    <>
      <h2 className="break-words font-semibold" dir="auto">
        <Visible text={title} />
      </h2>
      <Warnings hold={hold} />
      {choices && kind !== 'question' && <p className="text-muted text-sm">{choices.join(' · ')}</p>}
      <AskOrEdit hold={{ ...hold, agent_message: '' }} editing={editing} onSend={() => sendEdited(controls.bar)} />
      <AnswerForm bar={controls.bar} />
      <div ref={end} className="-mt-4 h-px" />
      <DecideControls controls={controls} hasAll={false} />
    </>
  )
}
