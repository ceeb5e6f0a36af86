import { type ReactElement, useState } from 'react'
import { isReachable } from '../api/connection.ts'
import type { Choice } from '../api/decisions.ts'
import type { DecisionVerdict, HoldView } from '../api/documents.ts'
import { useShared } from '../api/shared-value.ts'
import type { Verb } from '../keys/keys.ts'
import { useVerbs } from '../keys/use-verbs.ts'
import { useDraft } from '../parts/draft.ts'
import { AnswerPanel } from './answer-panel.tsx'
import type { Bar, DialogName, Panel } from './bar.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { DecideButtons } from './decide-buttons.tsx'
import { Dialogs } from './dialogs.tsx'
import { faultsIn } from './faults-in.ts'
import { type KeyObjection, objectionToKey, type Seen } from './guard.ts'
import { Notes } from './notes.tsx'
import { ReasonPanel } from './reason-panel.tsx'
import { useDecision } from './use-decision.ts'
import type { Editing } from './use-editing.ts'

interface DecideBarProps {
  readonly hold: HoldView
  readonly seen: { seen(): Seen; readOn(): void }
  readonly editing: Editing
}

/** Below a hold that has the page to itself. */
export function DecideBar(props: DecideBarProps): ReactElement {
  return (
    <div className="shrink-0 border-line border-t bg-card pb-[env(safe-area-inset-bottom)]">
      <div className="mx-auto grid max-w-3xl gap-3 px-4 py-3 sm:px-8">
        <DecideControls {...props} hasAll />
      </div>
    </div>
  )
}

interface ControlsProps extends DecideBarProps {
  /** Also the choices that are made less often. */
  readonly hasAll: boolean
}

export function DecideControls({ hold, seen, editing, hasAll }: ControlsProps): ReactElement {
  const deciding = useDecision(hold)
  const isWaiting = !useShared(isReachable)
  const [panel, show] = useState<Panel>(startingPanel(hold))
  const [dialog, open] = useState<DialogName | null>(null)
  const [asking, ask] = useState<Choice | null>(null)
  const [objection, object] = useState<KeyObjection | null>(null)
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
    }
    if (told.outcome === 'refused') editing.refuse(faultsIn(told.problem))
  }
  const choose = (choice: Choice) => {
    if (isWaiting || deciding.isBusy) return
    if (wantsWord(hold, choice, seen.seen())) ask(choice)
    else void decide(choice)
  }
  const leave = () => {
    open(null)
    deciding.clear()
  }
  const bar: Bar = { hold, deciding, editing, panel, isWaiting, may, show, open, choose }
  useDecidingKeys(bar, seen, object)
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

/** A question is answered more often than not. */
function startingPanel({ kind }: HoldView): Panel {
  return kind === 'question' || kind === 'input' || kind === 'client_tool' ? 'answer' : null
}

/** What cannot be taken back, or was not seen whole, is asked about once more. */
function wantsWord({ destructive, overrides_never, kind }: HoldView, { verdict }: Choice, seen: Seen): boolean {
  if (verdict === 'cancel') return true
  if (verdict !== 'approve' && verdict !== 'edit') return false
  return destructive || overrides_never === true || kind === 'in_doubt' || !seen.endWasSeen || seen.hasChanged
}

/** A key opens what its button opens. One that comes too early decides nothing, and reads on instead. */
function useDecidingKeys(
  bar: Bar,
  seen: DecideBarProps['seen'],
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
    ...keyed('answer', may('respond'), () => show('answer')),
    ...keyed('always', may('approve') && hold.kind === 'approval', () => open('always')),
    ...keyed('assign', true, () => open('assign')),
  })
}
