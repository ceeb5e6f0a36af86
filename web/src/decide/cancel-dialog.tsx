import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { post } from '../api/client.ts'
import { useMe } from '../api/session.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActions } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import type { Bar } from './bar.ts'

interface CancelDialogProps {
  readonly bar: Bar
  readonly onClose: () => void
}

const MAY_CANCEL_RUNS: readonly string[] = ['operator', 'admin']

/** The call alone, or its whole run. */
export function CancelDialog({ bar, onClose }: CancelDialogProps): ReactElement {
  const { hold, may, deciding } = bar
  const queries = useQueryClient()
  const me = useMe()
  const [reason, setReason] = useState('')
  const [trouble, setTrouble] = useState<string | null>(null)
  const why = reason.trim() === '' ? {} : { reason: reason.trim() }
  const cancelCall = async () => {
    await deciding.decide({ verdict: 'cancel', ...why })
    onClose()
  }
  const cancelRun = async () => {
    try {
      await post(`/v1/runs/${hold.run_id}/cancel`, why)
      await queries.invalidateQueries({ queryKey: ['hold', hold.id] })
      onClose()
    } catch (thrown) {
      setTrouble(thrown instanceof Error ? thrown.message : String(thrown))
    }
  }
  const mayCancelRun = me !== undefined && MAY_CANCEL_RUNS.includes(me.role)
  return (
    <Dialog title="Cancel" onClose={onClose}>
      <p className="text-sm">
        A cancelled call does not run, and the agent goes on without it. A cancelled run ends for good, with all that
        waits in it.
      </p>
      <Field label="Why? (may be left out)" className="mt-4" error={trouble}>
        {control => <input {...control} dir="auto" value={reason} onChange={({ target }) => setReason(target.value)} />}
      </Field>
      {!mayCancelRun && <p className="mt-3 text-muted text-sm">To cancel the run takes the role operator.</p>}
      <DialogActions>
        <Button onClick={onClose}>Back</Button>
        {may('cancel') && (
          <Button look="bad" onClick={() => void cancelCall()}>
            Cancel the call
          </Button>
        )}
        {mayCancelRun && (
          <Button look="bad" onClick={() => void cancelRun()}>
            Cancel the run
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}
