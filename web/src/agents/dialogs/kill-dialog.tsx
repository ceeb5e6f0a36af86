import { type ReactElement, useState } from 'react'
import { remove } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { useRequest } from '../../parts/use-request.ts'
import { type Agent, calledAs } from '../data/agent-groups.ts'

interface KillProps {
  readonly agent: Agent
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Names what would be lost. */
export function KillDialog({ agent, onClose, onDone }: KillProps): ReactElement {
  const { id, worktree, holds } = agent
  const [reason, setReason] = useState('')
  const { busy, trouble, send } = useRequest()
  const kill = () =>
    send(async () => {
      await remove(`/v1/agents/${id}?${new URLSearchParams(reason.trim() === '' ? {} : { reason: reason.trim() })}`)
      onDone()
      onClose()
    })
  return (
    <Dialog title={`Kill ${calledAs(agent)}?`} onClose={onClose}>
      <ul className="grid gap-2 text-sm">
        <li>What it runs is stopped, and its run ends for good.</li>
        {holds > 0 && <li>What it asks is withdrawn.</li>}
        {worktree !== null && <li className="break-all">Its work stays on the branch {worktree.branch}.</li>}
      </ul>
      <TextField label="Why? (may be left out)" className="mt-4" error={trouble} value={reason} onChange={setReason} />
      <DialogActions>
        <Button onClick={onClose}>Let it go on</Button>
        <Button look="bad" busy={busy} onClick={() => void kill()}>
          Kill it
        </Button>
      </DialogActions>
    </Dialog>
  )
}
