import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { post } from '../api/client.ts'
import { isOperator, useMe } from '../api/session.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActions } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { useRequest } from '../parts/use-request.ts'
import type { Bar } from './bar.ts'

interface CancelDialogProps {
  readonly bar: Bar
  readonly onClose: () => void
}

/** Cancels the call alone, or its whole run. */
export function CancelDialog({ bar, onClose }: CancelDialogProps): ReactElement {
  const { hold, may, deciding } = bar
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const { trouble, send } = useRequest()
  const why = reason.trim() === '' ? {} : { reason: reason.trim() }
  const cancelRun = () =>
    send(async () => {
      await post(`/v1/runs/${hold.run_id}/cancel`, why)
      await queries.invalidateQueries({ queryKey: ['hold', hold.id] })
      onClose()
    })
  const mayCancelRun = isOperator(useMe())
  return (
    <Dialog title={mayCancelRun ? 'Cancel the call or the run' : 'Cancel the call'} onClose={onClose}>
      <p className="text-sm">
        A cancelled call does not run, and the agent goes on without it.
        {mayCancelRun && ' A cancelled run ends for good, and what waits in it is withdrawn.'}
      </p>
      <TextField label="Why? (may be left out)" className="mt-4" error={trouble} value={reason} onChange={setReason} />
      {!mayCancelRun && <p className="mt-3 text-muted text-sm">Cancelling the run takes the role operator.</p>}
      <DialogActions>
        <Button onClick={onClose}>Back</Button>
        {may('cancel') && (
          <Button look="bad" onClick={() => void deciding.decide({ verdict: 'cancel', ...why }).then(onClose)}>
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
