/** Ends the run of an agent well. Keeps: to end and a message at the same moment are two decisions on one hold (P2). */
import { RefusedError } from '../../core/errors.ts'
import { alreadyDecided } from '../../core/hold/already-decided.ts'
import type { Requester } from '../../core/task/task-move.ts'
import type { AgentTasksDeps } from '../agent-tasks/agent-task.ts'
import type { AgentStand, SeenAgent } from './look-at-agent.ts'

/** @throws RefusedError; then nothing was ended. */
export async function endAgent(site: AgentTasksDeps, seen: SeenAgent, asker: Requester): Promise<void> {
  const { row } = seen
  if (row === null || row.status === 'done') throw isOver(seen)
  const [pause] = await site.holdpoint.holds({ run_id: row.id, status: 'open', kind: 'input', limit: 1 })
  if (!pause) throw isBusy(seen)
  const { by: decided_by, surface } = asker
  const receipt = await site.holdpoint.decide(pause.id, { verdict: 'approve', decided_by, surface })
  if (receipt.outcome === 'refused') throw receipt.error
  if (receipt.outcome === 'already_decided') throw alreadyDecided(pause.id, receipt.winner)
}

function isOver({ summary: { id, name, status } }: SeenAgent): RefusedError {
  return new RefusedError('ended', `The agent ${name ?? id} is ${status} already, so there is nothing to end.`, {
    details: { status },
  })
}

function isBusy({ summary: { id, name, status, because } }: SeenAgent): RefusedError {
  return new RefusedError('busy', `The agent ${name ?? id} is ${status}: ${because}. Nothing was ended.`, {
    action: { do: 'end_agent', id: name ?? id },
    details: { status },
  })
}

export function killedInVain({ id, name, status }: AgentStand): RefusedError {
  return new RefusedError('task_over', `The agent ${name ?? id} is ${status} already, so there is nothing to end.`, {
    hint: 'Look at it to see how it ended.',
    details: { status },
  })
}

/** Only its own host can tell which work in it would be lost. */
export function worktreeElsewhere({ summary: { id, name, host, worktree } }: SeenAgent): RefusedError {
  const path = worktree?.path ?? null
  return new RefusedError('on_another_host', `The worktree of ${name ?? id} is on the host ${host}, in ${path}.`, {
    hint: 'Take the agent off the list there, or over a server of that host. Nothing was removed.',
    details: { task_id: id, host, path },
  })
}
