import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useState } from 'react'
import { post } from '../api/client.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActions } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { useRequest } from '../parts/use-request.ts'
import type { Bar } from './bar.ts'

interface AssignDialogProps {
  readonly bar: Bar
  readonly onClose: () => void
}

/** Assigns a hold to a person. The assignment gives nobody the right to decide. */
export function AssignDialog({ bar: { hold }, onClose }: AssignDialogProps): ReactElement {
  const queries = useQueryClient()
  const [name, setName] = useState(hold.assignee ?? '')
  const { trouble, send } = useRequest()
  const known = hold.deciders?.people ?? []
  const assign = (event: FormEvent) => {
    event.preventDefault()
    void send(async () => {
      await post(`/v1/holds/${hold.id}/assign`, { assignee: name.trim() || null })
      await queries.invalidateQueries({ queryKey: ['hold', hold.id] })
      onClose()
    })
  }
  return (
    <Dialog title="Ask another person" onClose={onClose}>
      <form onSubmit={assign}>
        <TextField
          label="Who is asked?"
          hint="A name, or @group. It gives nobody the right to decide."
          error={trouble}
          list="known-people"
          autoComplete="off"
          value={name}
          onChange={setName}
        />
        <datalist id="known-people">
          {known.map(person => (
            <option key={person} value={person} />
          ))}
        </datalist>
        <DialogActions>
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" type="submit">
            {name.trim() === '' ? 'Assign nobody' : `Ask ${name.trim()}`}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
