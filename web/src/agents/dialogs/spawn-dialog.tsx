import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { post } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { useDraft } from '../../parts/draft.ts'
import type { Agent } from '../data/agent-groups.ts'
import { SpawnFields } from './spawn-fields.tsx'
import { NO_WISH, type SpawnFault, spawnBody, spawnFault } from './spawn-wish.ts'

/** Starts an agent in the directory of the server. What is written is kept until it is sent. */
export function SpawnDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const queries = useQueryClient()
  const [wish, change, drop] = useDraft('new-agent', NO_WISH)
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<SpawnFault>({})
  const spawn = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setFault({})
    try {
      const { id } = await post<Agent>('/v1/agents', spawnBody(wish))
      drop()
      onClose()
      navigate(`/agents/${id}`)
      await queries.invalidateQueries({ queryKey: ['agents'] })
    } catch (thrown) {
      setFault(spawnFault(thrown))
      setBusy(false)
    }
  }
  return (
    <Dialog title="A new agent" onClose={onClose}>
      <form onSubmit={spawn} className="grid gap-3 sm:gap-4">
        <SpawnFields wish={wish} fault={fault} onChange={change} />
        <DialogActions>
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" type="submit" busy={busy}>
            Start it
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
