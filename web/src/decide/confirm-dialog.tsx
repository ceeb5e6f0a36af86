import { type ReactElement, useState } from 'react'
import { thingNamed } from '../../../src/core/hold-view/blocks/act-words.ts'
import type { Choice } from '../api/decisions.ts'
import type { HoldView } from '../api/documents.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActions } from '../parts/dialog.tsx'
import { Visible } from '../text/visible.tsx'
import type { Seen } from './guard.ts'

interface ConfirmDialogProps {
  readonly hold: HoldView
  readonly choice: Choice
  readonly seen: Seen
  readonly onNo: () => void
  readonly onYes: () => void
}

/** Repeats the act and what it reaches: a yes here is a second one. Enter does not give it. */
export function ConfirmDialog({ hold, choice, seen, onNo, onYes }: ConfirmDialogProps): ReactElement {
  const [typed, type] = useState('')
  const isCancel = choice.verdict === 'cancel'
  const thing = hold.risk === 'override' && !isCancel ? thingNamed(hold) : null
  const isSure = thing === null || typed.trim().toLowerCase() === thing.toLowerCase()
  return (
    <Dialog title={titleOf(hold, isCancel)} onClose={onNo}>
      <p className="break-words rounded-lg bg-sunken px-3 py-2 font-medium" dir="auto">
        <Visible text={hold.title} />
      </p>
      <ul className="mt-3 grid gap-2 text-sm">
        {(isCancel ? [CANCELS] : warningsOf(hold, seen)).map(each => (
          <li key={each} className="break-words">
            <Visible text={each} />
          </li>
        ))}
      </ul>
      {thing !== null && (
        <label className="mt-4 grid gap-1.5 text-sm">
          <span>
            Type <strong className="font-mono">{thing}</strong> to go on
          </span>
          <input
            value={typed}
            onChange={event => type(event.target.value)}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            className="min-h-11 rounded-lg border border-line bg-card px-3 font-mono"
          />
        </label>
      )}
      <DialogActions>
        <Button onClick={onNo}>Back</Button>
        <Button look={isCancel ? 'bad' : 'good'} disabled={!isSure} onClick={onYes}>
          {isCancel ? 'Cancel it' : YES_WORDS[choice.verdict === 'edit' ? 'edit' : hold.kind]}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

const CANCELS = 'The call does not run, and the agent is told that it was cancelled.'

const YES_WORDS: Readonly<Record<HoldView['kind'] | 'edit', string>> = {
  approval: 'Yes, approve it',
  question: 'Yes, approve it',
  input: 'Yes, accept it',
  client_tool: 'Yes, approve it',
  in_doubt: 'Yes, run it again',
  edit: 'Yes, approve the changes',
}

function titleOf({ kind, risk }: HoldView, isCancel: boolean): string {
  if (isCancel) return 'Cancel this?'
  if (kind === 'in_doubt') return 'Run it again?'
  return risk === 'override' ? 'Override the policy?' : 'Approve this?'
}

function warningsOf(hold: HoldView, { endWasSeen, hasChanged }: Seen): readonly string[] {
  const { overrides_never, refused_before, kind, reaches } = hold
  return [
    ...(overrides_never ? ['Policy says never to this, and you override it.'] : []),
    ...(refused_before ? [`It was refused ${refused_before.times} times before: ${refused_before.because}`] : []),
    ...(kind === 'in_doubt' ? ['If it happened already, it happens a second time.'] : []),
    ...reaches.map(reach => `It ${reach}.`),
    ...(hasChanged ? ['It changed while you had it open.'] : []),
    ...(endWasSeen ? [] : ['You have not seen the end of the card.']),
  ]
}
