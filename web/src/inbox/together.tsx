import { type ReactElement, useState } from 'react'
import { decideTogether } from '../api/decisions.ts'
import type { HoldRow } from '../api/documents.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActions } from '../parts/dialog.tsx'
import { objectionToTogether } from './selection.ts'

interface TogetherProps {
  /** Those that are selected. */
  readonly rows: readonly HoldRow[]
  readonly onDone: () => void
}

/** P9: one decision for several, if they ask for exactly the same. */
export function Together({ rows, onDone }: TogetherProps): ReactElement | null {
  const [asked, ask] = useState<'approve' | 'reject' | null>(null)
  if (rows.length === 0) return null
  const objection = objectionToTogether(rows)
  return (
    <div className="grid gap-2 border-line border-t bg-sunken p-3">
      <p className="text-sm">
        <span className="font-medium">{rows.length} selected.</span>{' '}
        {objection ?? `All ask for the same: ${rows[0]?.tool}.`}
      </p>
      <div className="flex gap-2">
        <Button look="good" disabled={objection !== null} onClick={() => ask('approve')}>
          Approve…
        </Button>
        <Button look="bad" disabled={objection !== null} onClick={() => ask('reject')}>
          Reject…
        </Button>
        <Button look="quiet" onClick={onDone}>
          Clear
        </Button>
      </div>
      {asked && <TogetherDialog verdict={asked} rows={rows} onClose={() => ask(null)} onDone={onDone} />}
    </div>
  )
}

interface TogetherDialogProps extends TogetherProps {
  readonly verdict: 'approve' | 'reject'
  readonly onClose: () => void
}

function TogetherDialog({ verdict, rows, onClose, onDone }: TogetherDialogProps): ReactElement {
  const [trouble, setTrouble] = useState<string | null>(null)
  const [first] = rows
  const decide = async () => {
    try {
      const receipts = await decideTogether(rows, { verdict })
      const [inTheWay] = receipts.filter(({ outcome }) => outcome !== 'recorded' && outcome !== 'duplicate')
      if (inTheWay) return setTrouble(wordsOf(inTheWay))
      onClose()
      onDone()
    } catch (thrown) {
      setTrouble(thrown instanceof Error ? thrown.message : String(thrown))
    }
  }
  return (
    <Dialog
      title={`${verdict === 'approve' ? 'Run' : 'Reject'} ${first?.tool} ${rows.length} times?`}
      onClose={onClose}
    >
      <p className="break-words font-mono text-[0.8125rem]">{first?.summary}</p>
      {first?.destructive && <p className="mt-3 text-sm">What {first.tool} does cannot be taken back.</p>}
      {trouble && (
        <p role="alert" className="mt-3 text-bad text-sm">
          {trouble} Nothing was recorded.
        </p>
      )}
      <DialogActions>
        <Button onClick={onClose}>Back</Button>
        <Button look={verdict === 'approve' ? 'good' : 'bad'} onClick={() => void decide()}>
          {verdict === 'approve' ? `Approve all ${rows.length}` : `Reject all ${rows.length}`}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function wordsOf(receipt: Awaited<ReturnType<typeof decideTogether>>[number]): string {
  if (receipt.outcome === 'already_decided') return `${receipt.winner.decided_by} decided one of them first.`
  return receipt.outcome === 'refused' ? receipt.error.message : ''
}
