import type { ReactElement, ReactNode } from 'react'
import type { Outcome } from '../api/decisions.ts'
import type { HoldView } from '../api/documents.ts'
import { GOES_ON, useSetting } from '../api/setting.ts'
import { nameOfPlace } from '../form/faults.ts'
import { type Field, fieldsOf } from '../form/fields-of.ts'
import { Button } from '../parts/button.tsx'
import type { Bar } from './bar.ts'
import type { KeyObjection } from './guard.ts'
import { faultsIn } from './use-decision.ts'

interface NotesProps {
  readonly bar: Bar
  readonly objection: KeyObjection | null
  /** A reason that was begun. */
  readonly reason: string
}

/** Facts that a person must know before they choose, or because of their choice. */
export function Notes({ bar, objection, reason }: NotesProps): ReactElement {
  const { hold, isWaiting, deciding } = bar
  const why = hold.may_decide === null || hold.may_decide === true ? null : hold.may_decide
  const isEnded = hold.status !== 'open'
  return (
    <div role="status" aria-live="polite" className="grid gap-2 empty:hidden">
      {isEnded && <Ended bar={bar} reason={reason} />}
      {why !== null && <MayNot hold={hold} why={why} />}
      {objection !== null && !isEnded && <Note>{OBJECTIONS[objection]}</Note>}
      {deciding.outcome && !hasVoted(hold) && <Told outcome={deciding.outcome} bar={bar} />}
      {isWaiting && !isEnded && <Note>This waits for the network. What you write is kept.</Note>}
    </div>
  )
}

interface MayNotProps {
  readonly hold: HoldView
  readonly why: Exclude<HoldView['may_decide'], true | null>
}

/** Whoever gave one of several approvals is thanked, not refused. */
function MayNot({ hold, why }: MayNotProps): ReactElement {
  if (!hasVoted(hold))
    return (
      <Note>
        <span className="font-medium">You may not approve this.</span> {why.message} {why.hint}
      </Note>
    )
  const { have, need } = hold.approvals
  return (
    <Note>
      <span className="font-medium">Your approval counts.</span> It is {have} of {need}: {need - have} more{' '}
      {need - have === 1 ? 'person has' : 'people have'} to approve.
    </Note>
  )
}

function hasVoted({ may_decide }: HoldView): boolean {
  return may_decide !== null && may_decide !== true && may_decide.code === 'already_voted'
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
  const paths = Object.keys(faultsIn(outcome.problem)).filter(path => path !== '')
  const faults = [...new Set(paths.map(path => nameOfPlace(fieldsInForm(bar), path)))]
  if (faults.length > 0)
    return (
      <Note look="bad">
        <strong>Nothing was recorded:</strong> {faults.join(', ')} {faults.length === 1 ? 'does' : 'do'} not fit yet.
      </Note>
    )
  return (
    <Note look={outcome.outcome === 'refused' ? 'bad' : 'plain'}>
      {detail} {hint}
    </Note>
  )
}

function fieldsInForm({ hold, editing }: Bar): readonly Field[] | null {
  return editing.isOpen ? fieldsOf(hold.tool_schema, editing.value) : fieldsOf(hold.response_schema, {})
}

function Recorded({
  outcome: { hold },
}: {
  readonly outcome: Extract<Outcome, { outcome: 'recorded' }>
}): ReactElement {
  const goesOn = useSetting(GOES_ON)
  if (hold.status === 'open') return <Note>Your approval counts. It waits for others.</Note>
  return (
    <div className="flex flex-wrap items-center gap-x-6 text-muted text-sm">
      <p>
        Recorded. The card tells what comes of it. <span className="max-lg:hidden">j opens the next one.</span>
      </p>
      <label className="flex min-h-9 items-center gap-2">
        <input
          type="checkbox"
          checked={goesOn}
          onChange={({ target }) => GOES_ON.set(target.checked)}
          className="size-4.5 accent-accent"
        />
        From now on, open the next one by itself
      </label>
    </div>
  )
}
