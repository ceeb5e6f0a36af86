import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import type { AgentStatus } from '../../../src/core/fleet/agent-status.ts'
import { post } from '../api/client.ts'
import { wordsOf } from '../api/problem.ts'
import { Button } from '../parts/button.tsx'
import type { Agent } from './data/agent-groups.ts'
import { ForkDialog } from './dialogs/fork-dialog.tsx'
import { KillDialog } from './dialogs/kill-dialog.tsx'
import { RemoveDialog } from './dialogs/remove-dialog.tsx'

type Action = 'end' | 'resume' | 'respawn' | Asking
/** Those that a dialog asks about first. */
type Asking = 'fork' | 'kill' | 'remove'

const NAMES: Readonly<Record<Action, string>> = {
  end: 'End it',
  resume: 'Resume',
  respawn: 'Respawn',
  fork: 'Fork…',
  kill: 'Kill…',
  remove: 'Remove…',
}

// biome-ignore format: the table is the documentation
const OF: Readonly<Record<AgentStatus, readonly Action[]>> = {
  queued: ['kill'], spawning: ['kill'], running: ['kill'],
  waiting: ['fork', 'kill'],
  idle: ['end', 'fork', 'kill'], parked: ['end', 'fork', 'kill'],
  crashed: ['resume', 'kill'], unreachable: ['kill'],
  killing: [],
  killed: ['respawn', 'fork', 'remove'], done: ['respawn', 'fork', 'remove'], failed: ['respawn', 'fork', 'remove'],
}

/** Those that the server takes. One that never rested has no place to fork it from. */
function actionsFor({ status, checkpoint_id }: Agent): readonly Action[] {
  return OF[status].filter(action => action !== 'fork' || checkpoint_id !== null)
}
interface ActionsProps {
  readonly agent: Agent
  /** Of the list, for when the agent is off it. */
  readonly back: string
}

/** What can be done with an agent, beside talking to it. */
export function AgentActions({ agent, back }: ActionsProps): ReactElement {
  const { id } = agent
  const queries = useQueryClient()
  const [dialog, open] = useState<Asking | null>(null)
  const [busy, setBusy] = useState<Action | null>(null)
  const [trouble, setTrouble] = useState<string | null>(null)
  const refresh = () =>
    Promise.all([['agent', id], ['agents']].map(queryKey => queries.invalidateQueries({ queryKey })))
  const removed = async () => {
    navigate(back)
    queries.removeQueries({ queryKey: ['agent', id] })
    await queries.invalidateQueries({ queryKey: ['agents'] })
  }
  const at = async (action: Action) => {
    if (isAsking(action)) return open(action)
    setBusy(action)
    setTrouble(null)
    try {
      const told = await post<Agent>(PLACES[action](id), {})
      if (action === 'respawn') navigate(`/agents/${told.id}`)
      await refresh()
    } catch (thrown) {
      setTrouble(wordsOf(thrown))
    }
    setBusy(null)
  }
  return (
    <div className="grid gap-1 sm:justify-items-end">
      <div className="flex flex-wrap gap-2">
        {actionsFor(agent).map(action => (
          <Button
            key={action}
            look={action === 'kill' || action === 'remove' ? 'bad' : 'plain'}
            busy={busy === action}
            onClick={() => void at(action)}
          >
            {NAMES[action]}
          </Button>
        ))}
      </div>
      {trouble !== null && (
        <p role="alert" className="max-w-80 text-bad text-sm">
          {trouble}
        </p>
      )}
      {dialog === 'kill' && <KillDialog agent={agent} onClose={() => open(null)} onDone={() => void refresh()} />}
      {dialog === 'remove' && <RemoveDialog agent={agent} onClose={() => open(null)} onDone={() => void removed()} />}
      {dialog === 'fork' && <ForkDialog agent={agent} onClose={() => open(null)} />}
    </div>
  )
}

function isAsking(action: Action): action is Asking {
  return action === 'fork' || action === 'kill' || action === 'remove'
}

const PLACES: Readonly<Record<Exclude<Action, Asking>, (id: string) => string>> = {
  end: id => `/v1/agents/${id}/end`,
  resume: id => `/v1/tasks/${id}/resume`,
  respawn: id => `/v1/agents/${id}/respawn`,
}
