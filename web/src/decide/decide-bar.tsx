import { type ReactElement, useState } from 'react'
import { isReachable } from '../api/connection.ts'
import type { Choice } from '../api/decisions.ts'
import type { DecisionVerdict, HoldView } from '../api/documents.ts'
import { useShared } from '../api/shared-value.ts'
import { isSendKey } from '../form/send-by-key.ts'
import type { Verb } from '../keys/keys.ts'
import { useVerbs } from '../keys/use-verbs.ts'
import { Button } from '../parts/button.tsx'
import { useDraft } from '../parts/draft.ts'
import { TextField } from '../parts/field.tsx'
import { AlwaysDialog } from './always-dialog.tsx'
import { AnswerPanel } from './answer-panel.tsx'
import { focusAnswer } from './answer-way.ts'
import { AssignDialog } from './assign-dialog.tsx'
import type { Bar, DialogName, Panel } from './bar.ts'
import { CancelDialog } from './cancel-dialog.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { DecideButtons } from './decide-buttons.tsx'
import { isJustAdvanced, type KeyObjection, objectionToKey, type Seen } from './guard.ts'
import { Notes } from './notes.tsx'
import { faultsIn, useDecision } from './use-decision.ts'
import type { Editing } from './use-editing.ts'

interface ControlsProps {
  readonly hold: HoldView
  readonly seen: { seen(): Seen; readOn(): void }
  readonly editing: Editing
  /** Called when a decision of this person is on record. */
  readonly onRecorded?: () => void
}

/** Below a hold that has the page to itself. */
export function DecideBar({ controls }: { readonly controls: Controls }): ReactElement {
  return (
    <div className="shrink-0 border-line border-t bg-card pb-[env(safe-area-inset-bottom)]">
      <div className="mx-auto grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-3 px-4 py-3 sm:px-8">
        <DecideControls controls={controls} hasAll />
      </div>
    </div>
  )
}

interface DecideControlsProps {
  readonly controls: Controls
  /** Also the choices that are made less often. */
  readonly hasAll: boolean
}

export function DecideControls({ controls, hasAll }: DecideControlsProps): ReactElement {
  const { bar, seen, dialog, closeDialog, reason, setReason, asking, ask, decide } = controls
  const [objection, object] = useState<KeyObjection | null>(null)
  useDecidingKeys(bar, seen, object)
  const { hold, panel, deciding } = bar
  const leave = () => {
    closeDialog()
    deciding.clear()
  }
  return (
    <>
      <Notes bar={bar} objection={objection} reason={reason} />
      {hold.status === 'open' && panel === 'reject' && <ReasonPanel bar={bar} reason={reason} onChange={setReason} />}
      {hold.status === 'open' && panel === 'answer' && <AnswerPanel bar={bar} />}
      {hold.status === 'open' && <DecideButtons bar={bar} hasAll={hasAll} />}
      {dialog && <Dialogs bar={bar} name={dialog} onClose={leave} />}
      {asking && (
        <ConfirmDialog
          hold={hold}
          choice={asking}
          seen={seen.seen()}
          onNo={() => ask(null)}
          onYes={() => void decide(asking)}
        />
      )}
    </>
  )
}

export type Controls = ReturnType<typeof useControls>

/** What the parts that decide share: a panel, a dialog, and the choice that must be confirmed. */
export function useControls({ hold, seen, editing, onRecorded }: ControlsProps) {
  const deciding = useDecision(hold)
  const isWaiting = !useShared(isReachable)
  const [panel, show] = useState<Panel>(startingPanel(hold))
  const [dialog, open] = useState<DialogName | null>(null)
  const [asking, ask] = useState<Choice | null>(null)
  const [reason, setReason, dropReason] = useDraft(`reason.${hold.id}`, '')
  const may = (verdict: DecisionVerdict) =>
    hold.verdicts.some(each => each.verdict === verdict && each.refusal === null)
  const decide = async (choice: Choice) => {
    ask(null)
    const told = await deciding.decide(choice)
    if (told.outcome !== 'refused' && told.outcome !== 'unanswered') open(null)
    if (told.outcome === 'recorded') {
      show(null)
      dropReason()
      editing.drop()
      onRecorded?.()
    }
    if (told.outcome === 'refused') editing.refuse(faultsIn(told.problem))
  }
  const choose = (choice: Choice) => {
    if (isWaiting || deciding.isBusy || isJustAdvanced()) return
    if (wantsWord(hold, choice, seen.seen())) ask(choice)
    else void decide(choice)
  }
  const bar: Bar = { hold, deciding, editing, panel, isWaiting, may, show, open, choose }
  return { bar, seen, dialog, closeDialog: () => open(null), reason, setReason, asking, ask, decide }
}

/** A question is answered more often than not. */
function startingPanel({ kind }: HoldView): Panel {
  return kind === 'question' || kind === 'input' || kind === 'client_tool' ? 'answer' : null
}

/** A choice with more than ordinary risk, that allows more than this call, or that was not seen whole must be confirmed. */
function wantsWord({ risk }: HoldView, { verdict, grant }: Choice, seen: Seen): boolean {
  if (verdict === 'cancel') return true
  if (verdict !== 'approve' && verdict !== 'edit') return false
  return risk !== 'ordinary' || grant !== undefined || !seen.endWasSeen || seen.hasChanged
}

/** A key opens the same panel as its button. A key that is pressed too early scrolls on instead. */
function useDecidingKeys(
  bar: Bar,
  seen: ControlsProps['seen'],
  object: (objection: KeyObjection | null) => void,
): void {
  const { hold, may, show, open, choose, editing } = bar
  const keyed = (verb: Verb, isOffered: boolean, act: () => void) => {
    if (!isOffered || hold.status !== 'open') return {}
    return {
      [verb]: () => {
        const objection = objectionToKey(seen.seen())
        object(objection)
        if (objection === null) act()
        if (objection === 'unseen') seen.readOn()
      },
    }
  }
  useVerbs({
    ...keyed('approve', may('approve') && !editing.isOpen, () => choose({ verdict: 'approve' })),
    ...keyed('reject', may('reject'), () => show('reject')),
    ...keyed('edit', may('edit'), editing.open),
    ...keyed('answer', may('respond'), () => {
      show('answer')
      focusAnswer(hold)
    }),
    ...keyed('always', may('approve') && hold.kind === 'approval', () => open('always')),
    ...keyed('assign', true, () => open('assign')),
  })
}

interface DialogsProps {
  readonly bar: Bar
  readonly name: DialogName
  readonly onClose: () => void
}

function Dialogs({ bar, name, onClose }: DialogsProps): ReactElement {
  const Chosen = DIALOGS[name]
  return <Chosen bar={bar} onClose={onClose} />
}

const DIALOGS = { always: AlwaysDialog, assign: AssignDialog, cancel: CancelDialog } as const

interface ReasonPanelProps {
  readonly bar: Bar
  readonly reason: string
  readonly onChange: (reason: string) => void
}

/** A no, and why: the agent reads it. */
function ReasonPanel({ bar, reason, onChange }: ReasonPanelProps): ReactElement {
  const { hold, deciding, isWaiting, show, choose } = bar
  const word = hold.kind === 'question' ? 'Decline' : hold.kind === 'in_doubt' ? 'It failed' : 'Reject'
  return (
    <form
      className="grid gap-3"
      onKeyDown={event => {
        if (isSendKey(event)) event.currentTarget.requestSubmit()
      }}
      onSubmit={event => {
        event.preventDefault()
        choose({ verdict: 'reject', ...(reason.trim() !== '' && { reason: reason.trim() }) })
      }}
    >
      <TextField label="Why? The agent reads it." autoFocus rows={2} value={reason} onChange={onChange} />
      <div className="flex justify-end gap-2">
        <Button look="quiet" onClick={() => show(null)}>
          Back
        </Button>
        <Button look="bad" type="submit" busy={deciding.isBusy} disabled={isWaiting}>
          {isWaiting ? 'Waits for the network' : word}
        </Button>
      </div>
    </form>
  )
}
