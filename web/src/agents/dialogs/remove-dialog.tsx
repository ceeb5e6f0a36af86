import { type ReactElement, useState } from 'react'
import { post } from '../../api/client.ts'
import { ProblemError } from '../../api/problem.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { Alert } from '../../parts/states.tsx'
import { useRequest } from '../../parts/use-request.ts'
import { Visible } from '../../text/visible.tsx'
import { type Agent, calledAs } from '../data/agent-groups.ts'

interface RemoveProps {
  readonly agent: Agent
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Work in a worktree that only that worktree has. */
interface Unsaved {
  readonly files: readonly string[]
  readonly commits: readonly string[]
}

/** Takes an agent off the list. Work that would be lost is named first, and deleted only by a second word. */
export function RemoveDialog({ agent, onClose, onDone }: RemoveProps): ReactElement {
  const { id, worktree } = agent
  const [unsaved, setUnsaved] = useState<Unsaved | null>(null)
  const { busy, trouble, send } = useRequest()
  const removeIt = () =>
    send(async () => {
      try {
        await post(`/v1/agents/${id}/remove`, { discard: unsaved !== null })
      } catch (thrown) {
        return setUnsaved(unsavedIn(thrown))
      }
      onClose()
      onDone()
    })
  return (
    <Dialog title={`Remove ${calledAs(agent)}?`} onClose={onClose}>
      {unsaved ? <Lost unsaved={unsaved} branch={worktree?.branch ?? ''} /> : <Gone agent={agent} />}
      <Alert text={trouble} className="mt-3" />
      <DialogActions>
        <Button onClick={onClose}>Keep it</Button>
        <Button look="bad" busy={busy} onClick={() => void removeIt()}>
          {unsaved ? 'Delete that work, and remove it' : 'Remove it'}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function Gone({ agent: { worktree } }: Pick<RemoveProps, 'agent'>): ReactElement {
  return (
    <ul className="grid gap-2 text-sm">
      <li>It leaves this list. Its conversation stays.</li>
      {worktree !== null && (
        <li className="[overflow-wrap:anywhere]">
          Its worktree and the branch {worktree.branch} go with it. You are asked again if they have work that is not
          committed and merged.
        </li>
      )}
    </ul>
  )
}

function Lost({
  unsaved: { files, commits },
  branch,
}: {
  readonly unsaved: Unsaved
  readonly branch: string
}): ReactElement {
  return (
    <div role="alert" className="grid gap-3 text-sm">
      <p className="[overflow-wrap:anywhere]">
        Nothing is removed yet. This work is only in its worktree and on {branch}, and would be deleted:
      </p>
      <Listed title="Not committed" lines={files} />
      <Listed title="Commits on no other branch" lines={commits} />
    </div>
  )
}

function Listed({ title, lines }: { readonly title: string; readonly lines: readonly string[] }): ReactElement | null {
  if (lines.length === 0) return null
  return (
    <div>
      <h3 className="font-medium text-muted text-xs">{title}</h3>
      <ul className="mt-1 max-h-40 overflow-y-auto rounded-lg bg-sunken px-3 py-2 font-mono text-xs">
        {lines.map(line => (
          <li key={line} className="break-all">
            <Visible text={line} />
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Throws any other refusal. */
function unsavedIn(thrown: unknown): Unsaved {
  if (!(thrown instanceof ProblemError) || thrown.problem.code !== 'worktree_not_saved') throw thrown
  const { files = [], commits = [] } = (thrown.problem['details'] ?? {}) as Partial<Unsaved>
  // Git has two letters and a space before each name.
  return { files: files.map(file => file.slice(3)), commits }
}
