import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useState } from 'react'
import { post } from '../api/client.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActions } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import type { Bar } from './bar.ts'

interface AssignDialogProps {
  readonly bar: Bar
  readonly onClose: () => void
}

/** Says who is asked. It gives nobody the right to decide. */
export function AssignDialog({ bar: { hold }, onClose }: AssignDialogProps): ReactElement {
  const queries = useQueryClient()
  const [name, setName] = useState(hold.assignee ?? '')
  const [trouble, setTrouble] = useState<string | null>(null)
  const known = hold.deciders?.people ?? []
  const assign = async (event: FormEvent) => {
    event.preventDefault()
    try {
      await post(`/v1/holds/${hold.id}/assign`, { assignee: name.trim() || null })
      await queries.invalidateQueries({ queryKey: ['hold', hold.id] })
      onClose()
    } catch (thrown) {
      setTrouble(thrown instanceof Error ? thrown.message : String(thrown))
    }
  }
  return (
    <Dialog title="Ask another person" onClose={onClose}>
      <form onSubmit={assign}>
        <Field label="Who is asked?" hint="A name, or @group. It gives nobody the right to decide." error={trouble}>
          {control => (
            <input
              {...control}
              list="known-people"
              autoComplete="off"
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <datalist id="known-people">
          {known.map(person => (
            <option key={person} value={person} />
          ))}
        </datalist>
        <DialogActions>
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" type="submit">
            {name.trim() === '' ? 'Ask nobody by name' : `Ask ${name.trim()}`}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
