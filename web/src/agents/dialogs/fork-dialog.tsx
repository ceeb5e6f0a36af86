import { type FormEvent, type ReactElement, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { AGENT_IS_OVER } from '../../../../src/core/fleet/agent-status.ts'
import { post } from '../../api/client.ts'
import { wordsOf } from '../../api/problem.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { type Agent, calledAs } from '../data/agent-groups.ts'

/** Another agent that goes on from where this one stands. */
export function ForkDialog({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }): ReactElement {
  const { id, status } = agent
  const [text, setText] = useState('')
  const [name, setName] = useState('')
  const [busy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState<string | null>(null)
  const isTextNeeded = AGENT_IS_OVER[status]
  const fork = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    const asked = { ...(text.trim() !== '' && { text: text.trim() }), ...(name.trim() !== '' && { name: name.trim() }) }
    try {
      const told = await post<Agent>(`/v1/agents/${id}/fork`, asked)
      onClose()
      navigate(`/agents/${told.id}`)
    } catch (thrown) {
      setTrouble(wordsOf(thrown))
      setBusy(false)
    }
  }
  return (
    <Dialog title={`Fork ${calledAs(agent)}`} onClose={onClose}>
      <form onSubmit={fork} className="grid gap-4">
        <p className="text-sm">Another agent goes on from where this one stands. This one is not touched.</p>
        <Field label={isTextNeeded ? 'What shall it do?' : 'What shall it do? (may be left out)'}>
          {control => (
            <textarea
              {...control}
              dir="auto"
              rows={3}
              required={isTextNeeded}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
        <Field label="Its name (may be left out)" error={trouble}>
          {control => <input {...control} value={name} onChange={({ target }) => setName(target.value)} />}
        </Field>
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
