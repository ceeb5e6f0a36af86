import type { ReactElement } from 'react'
import type { Choice } from '../api/decisions.ts'
import type { HoldView } from '../api/documents.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActions } from '../parts/dialog.tsx'
import type { Seen } from './guard.ts'

interface ConfirmDialogProps {
  readonly hold: HoldView
  readonly choice: Choice
  readonly seen: Seen
  readonly onNo: () => void
  readonly onYes: () => void
}

/** Names what would happen: a yes here is a second one. */
export function ConfirmDialog({ hold, choice, seen, onNo, onYes }: ConfirmDialogProps): ReactElement {
  const name = hold.tool ?? 'this'
  const isCancel = choice.verdict === 'cancel'
  const warnings = isCancel ? [CANCELS] : warningsOf(hold, seen)
  return (
    <Dialog title={titleOf(hold, isCancel)} onClose={onNo}>
      <ul className="grid gap-2 text-sm">
        {warnings.map(each => (
          <li key={each}>{each}</li>
        ))}
      </ul>
      <DialogActions>
        <Button onClick={onNo}>Back</Button>
        <Button look={isCancel ? 'bad' : 'good'} onClick={onYes}>
          {isCancel ? 'Cancel it' : `Yes, run ${name}`}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

const CANCELS = 'The call does not run, and the agent is told that it was cancelled.'

function titleOf({ tool, kind }: HoldView, isCancel: boolean): string {
  const name = tool ?? 'this'
  if (isCancel) return `Cancel ${name}?`
  return kind === 'in_doubt' ? `Run ${name} again?` : `Run ${name}?`
}

function warningsOf(
  { overrides_never, kind, destructive, tool }: HoldView,
  { endWasSeen, hasChanged }: Seen,
): readonly string[] {
  return [
    ...(overrides_never ? ['Policy says never to this, and you override it.'] : []),
    ...(kind === 'in_doubt' ? ['If it happened already, it happens a second time.'] : []),
    ...(destructive ? [`What ${tool} does cannot be taken back.`] : []),
    ...(hasChanged ? ['It changed while you had it open.'] : []),
    ...(endWasSeen ? [] : ['You have not seen the end of what it is called with.']),
  ]
}
