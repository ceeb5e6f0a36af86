import { type FormEvent, type ReactElement, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { AGENT_IS_OVER } from '../../../../src/core/fleet/agent-status.ts'
import { post } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { useRequest } from '../../parts/use-request.ts'
import { type Agent, calledAs } from '../data/agent-groups.ts'

/** Starts another agent from the last checkpoint of this one. */
export function ForkDialog({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }): ReactElement {
  const { id, status } = agent
  const [text, setText] = useState('')
  const [name, setName] = useState('')
  const { busy, trouble, send } = useRequest()
  const isTextNeeded = AGENT_IS_OVER[status]
  const fork = (event: FormEvent) => {
    event.preventDefault()
    const body = { ...(text.trim() !== '' && { text: text.trim() }), ...(name.trim() !== '' && { name: name.trim() }) }
    void send(async () => {
      const forked = await post<Agent>(`/v1/agents/${id}/fork`, body)
      onClose()
      navigate(`/agents/${forked.id}`)
    })
  }
  return (
    <Dialog title={`Fork ${calledAs(agent)}`} onClose={onClose}>
      <form onSubmit={fork} className="grid gap-4">
        <p className="text-sm">Another agent goes on from where this one stands. This one is not touched.</p>
        <TextField
          label={isTextNeeded ? 'What shall it do?' : 'What shall it do? (may be left out)'}
          rows={3}
          required={isTextNeeded}
          value={text}
          onChange={setText}
        />
        <TextField label="Its name (may be left out)" error={trouble} value={name} onChange={setName} />
        <DialogActions>
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" type="submit" busy={busy}>
            Fork it
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
