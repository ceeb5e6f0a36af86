/** An agent as the rows of now show it. Nothing of it is kept, so it is right after any restart. */
import { type AgentStanding, agentStanding } from '../../core/fleet/agent-status.ts'
import type { Presence } from '../../core/fleet/presence.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { waitsForTurn } from '../../core/task/start-queue.ts'
import { isUnreadable, type Task } from '../../core/task/task.ts'
import type { RunRow } from '../../ports/store/runs.ts'
import { type AgentTasksDeps, isWorkedOn, parentOf, type Standing } from '../agent-tasks/agent-task.ts'
import { settleTask } from '../agent-tasks/settle-task.ts'
import type { AgentSummary } from '../face/agents.ts'
import { termsOf } from './agent-terms.ts'

/** An agent with the rows behind it. */
export interface SeenAgent {
  readonly task: Task
  readonly row: RunRow | null
  readonly summary: AgentSummary
}

export async function lookAtAgent(site: AgentTasksDeps, found: Task): Promise<SeenAgent> {
  const { task, row } = await settleTask(site, found)
  const holds = row?.status === 'waiting' ? await site.store.holds({ run_id: row.id, status: 'open' }) : []
  const presence = await presenceOf(site, task)
  return { task, row, summary: summaryOf(site, { task, row, holds, presence }) }
}

/** `null` if its process certainly is gone: the row of one that was killed stays. */
async function presenceOf({ store, liveness }: AgentTasksDeps, { id, invocation }: Task): Promise<Presence | null> {
  const presence = await store.presences.find(id)
  return presence === null || presence.invocation !== invocation.n || liveness.isGone(presence.process)
    ? null
    : presence
}

/** The lease of a process that was killed lasts a while longer than the process. */
function isAdvanced({ liveness, clock }: AgentTasksDeps, standing: Standing): boolean {
  const owner = standing.row?.lease?.owner
  return owner !== undefined && isWorkedOn(standing, clock.now()) && !liveness.isGone(owner)
}

interface Rows {
  readonly task: Task
  readonly row: RunRow | null
  readonly holds: readonly Hold[]
  readonly presence: Presence | null
}

function summaryOf(site: AgentTasksDeps, { task, row, holds, presence }: Rows): AgentSummary {
  const { invocation } = task
  const terms = termsOf(task)
  const asks = holds.filter(({ kind }) => kind !== 'input').length
  const standing = agentStanding({
    task: {
      status: task.status,
      cancel_requested_by: task.cancel_requested_by,
      isSupervised: invocation.supervisor !== null && !waitsForTurn(invocation),
      isInteractive: terms.interactive !== null,
      error: invocation.error,
    },
    run: row && { status: row.status, ended: row.ended, isLeased: isAdvanced(site, { task, row }) },
    holds: { asks, isTextPause: holds.length > asks },
    presence,
  })
  return {
    id: task.id,
    name: terms.name,
    agent: row?.agent ?? null,
    title: task.title,
    ...standing,
    because: becauseOf(task, standing),
    interactive: terms.interactive,
    run_id: task.subject,
    session_id: row?.thread_id ?? null,
    checkpoint_id: row?.checkpoint_id ?? null,
    parent_run_id: parentOf(task),
    holds: asks,
    queued: presence?.queued ?? 0,
    clients: presence?.clients ?? 0,
    writer: presence?.writer ?? null,
    last_error: presence?.last_error ?? null,
    workdir: terms.worktree?.path ?? task.workdir,
    worktree: terms.worktree,
    created_at: task.created_at,
    updated_at: task.updated_at,
  }
}

function becauseOf(task: Task, { because }: AgentStanding): string {
  return isUnreadable(task) ? `${because}; a part of its row cannot be read` : because
}
