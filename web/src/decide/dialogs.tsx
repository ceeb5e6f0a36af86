import type { ReactElement } from 'react'
import { AlwaysDialog } from './always-dialog.tsx'
import { AssignDialog } from './assign-dialog.tsx'
import type { Bar, DialogName } from './bar.ts'
import { CancelDialog } from './cancel-dialog.tsx'

interface DialogsProps {
  readonly bar: Bar
  readonly name: DialogName
  readonly onClose: () => void
}

export function Dialogs({ bar, name, onClose }: DialogsProps): ReactElement {
  const Chosen = DIALOGS[name]
  return <Chosen bar={bar} onClose={onClose} />
}

const DIALOGS = { always: AlwaysDialog, assign: AssignDialog, cancel: CancelDialog } as const
