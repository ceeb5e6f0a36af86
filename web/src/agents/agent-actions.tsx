import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import type { AgentStatus } from '../../../src/core/fleet/agent-status.ts'
import { post } from '../api/client.ts'
import { Button } from '../parts/button.tsx'
import { Alert } from '../parts/states.tsx'
import { useRequest } from '../parts/use-request.ts'
import type { Agent } from './data/agent-groups.ts'
import { ForkDialog } from './dialogs/fork-dialog.tsx'
import { KillDialog } from './dialogs/kill-dialog.tsx'
import { RemoveDialog } from './dialogs/remove-dialog.tsx'

type Action = 'end' | 'resume' | 'respawn' | Asking
/** Actions that a dialog confirms first. */
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

/** The actions that the server accepts. An agent that never paused has no checkpoint to fork from. */
function actionsFor({ status, checkpoint_id }: Agent): readonly Action[] {
  return OF[status].filter(action => action !== 'fork' || checkpoint_id !== null)
}

interface ActionsProps {
  readonly agent: Agent
  /** The address of the list, for when the agent is no longer on it. */
  readonly back: string
}

/** The actions on an agent other than a message. */
export function AgentActions({ agent, back }: ActionsProps): ReactElement {
  const { id } = agent
  const queries = useQueryClient()
  const [dialog, open] = useState<Asking | null>(null)
  const [last, setLast] = useState<Action | null>(null)
  const { busy, trouble, send } = useRequest()
  const refresh = () =>
    Promise.all([['agent', id], ['agents']].map(queryKey => queries.invalidateQueries({ queryKey })))
  const removed = async () => {
    navigate(back)
    queries.removeQueries({ queryKey: ['agent', id] })
    await queries.invalidateQueries({ queryKey: ['agents'] })
  }
  const act = (action: Action) => {
    if (isAsking(action)) return open(action)
    setLast(action)
    void send(async () => {
      const changed = await post<Agent>(PATHS[action](id), {})
      if (action === 'respawn') navigate(`/agents/${changed.id}`)
      await refresh()
    })
  }
  const close = () => open(null)
  return (
    <div className="grid gap-1 sm:justify-items-end">
      <ActionButtons agent={agent} running={busy ? last : null} onChoose={act} />
      <Alert text={trouble} className="max-w-80" />
      {dialog === 'kill' && <KillDialog agent={agent} onClose={close} onDone={() => void refresh()} />}
      {dialog === 'remove' && <RemoveDialog agent={agent} onClose={close} onDone={() => void removed()} />}
      {dialog === 'fork' && <ForkDialog agent={agent} onClose={close} />}
    </div>
  )
}

interface ButtonsProps extends Pick<ActionsProps, 'agent'> {
  readonly running: Action | null
  readonly onChoose: (action: Action) => void
}

function ActionButtons({ agent, running, onChoose }: ButtonsProps): ReactElement {
  return (
    <div className="flex flex-wrap gap-2">
      {actionsFor(agent).map(action => (
        <Button
          key={action}
          look={action === 'kill' || action === 'remove' ? 'bad' : 'plain'}
          busy={running === action}
          onClick={() => onChoose(action)}
        >
          {NAMES[action]}
        </Button>
      ))}
    </div>
  )
}

function isAsking(action: Action): action is Asking {
  return action === 'fork' || action === 'kill' || action === 'remove'
}

const PATHS: Readonly<Record<Exclude<Action, Asking>, (id: string) => string>> = {
  end: id => `/v1/agents/${id}/end`,
  resume: id => `/v1/tasks/${id}/resume`,
  respawn: id => `/v1/agents/${id}/respawn`,
}
