import type { ReactElement, ReactNode } from 'react'
import type { Outcome } from '../api/decisions.ts'
import { Button } from '../parts/button.tsx'
import type { Bar } from './bar.ts'
import type { KeyObjection } from './guard.ts'

interface NotesProps {
  readonly bar: Bar
  readonly objection: KeyObjection | null
  /** A reason that was begun. */
  readonly reason: string
}

/** What a person must know before they choose, or because of what they chose. */
export function Notes({ bar, objection, reason }: NotesProps): ReactElement {
  const { hold, isWaiting, deciding } = bar
  const why = hold.may_decide === null || hold.may_decide === true ? null : hold.may_decide
  const isEnded = hold.status !== 'open'
  return (
    <div role="status" aria-live="polite" className="grid gap-2 empty:hidden">
      {isEnded && <Ended bar={bar} reason={reason} />}
      {why !== null && (
        <Note>
          <span className="font-medium">You may not approve this.</span> {why.message} {why.hint}
        </Note>
      )}
      {objection !== null && !isEnded && <Note>{OBJECTIONS[objection]}</Note>}
      {deciding.outcome && <Told outcome={deciding.outcome} bar={bar} />}
      {isWaiting && !isEnded && <Note>This waits for the network. What you write is kept.</Note>}
    </div>
  )
}

const OBJECTIONS: Readonly<Record<KeyObjection, string>> = {
  young: 'That key came as this card appeared, so it decided nothing. Press it again if you mean this one.',
  several: 'Several things wait here, so no key decides: choose with the buttons of the one that you mean.',
  unseen: 'The end was not in view yet, so the key scrolled. Press it again at the end.',
}

export function Note({
  look = 'plain',
  children,
}: {
  readonly look?: 'plain' | 'bad'
  readonly children: ReactNode
}): ReactElement {
  const colour = look === 'bad' ? 'bg-bad-soft text-bad' : 'bg-sunken'
  return <div className={`rounded-lg px-3 py-2 text-sm ${colour}`}>{children}</div>
}

/** A reason that was being written is not lost with the hold. */
function Ended({ bar, reason }: { readonly bar: Bar; readonly reason: string }): ReactElement {
  const { deciding } = bar
  const isOwn = deciding.outcome?.outcome === 'recorded'
  return (
    <>
      {!isOwn && <p className="text-muted text-sm">It does not wait any more: there is nothing to decide here.</p>}
      {reason !== '' && (
        <div className="flex items-end gap-2">
          <label className="min-w-0 flex-1">
            <span className="text-muted text-xs">What you were writing</span>
            <textarea
              readOnly
              rows={2}
              value={reason}
              className="mt-1 w-full rounded-lg border border-line bg-sunken p-2 text-sm"
            />
          </label>
          <Button onClick={() => void navigator.clipboard.writeText(reason)}>Copy</Button>
        </div>
      )}
    </>
  )
}

function Told({ outcome, bar }: { readonly outcome: Outcome; readonly bar: Bar }): ReactElement | null {
  if (outcome.outcome === 'recorded') return <Recorded outcome={outcome} />
  if (outcome.outcome === 'unanswered')
    return (
      <Note look="bad">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <span>No answer came. It may be recorded or not. Sent again, it counts once.</span>
          <Button onClick={bar.deciding.again} disabled={bar.isWaiting} busy={bar.deciding.isBusy}>
            Send it again
          </Button>
        </div>
      </Note>
    )
  if (outcome.outcome === 'changed')
    return (
      <Note>
        <strong>This is not what you were shown.</strong> Nothing was recorded. Look at what changed, and decide that.
      </Note>
    )
  const { detail, hint } = outcome.problem
  return (
    <Note look={outcome.outcome === 'refused' ? 'bad' : 'plain'}>
      {detail} {hint}
    </Note>
  )
}

function Recorded({
  outcome: { hold },
}: {
  readonly outcome: Extract<Outcome, { outcome: 'recorded' }>
}): ReactElement {
  const need = hold.deciders?.quorum ?? 1
  if (hold.status === 'open')
    return (
      <Note>
        Your approval counts: {hold.votes.length} of {need}. It waits for others.
      </Note>
    )
  return (
    <p className="text-muted text-sm">
      Recorded. The run goes on with it. <span className="max-lg:hidden">j is the next one.</span>
    </p>
  )
}
