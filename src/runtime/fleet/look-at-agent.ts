/** An agent as the rows of now show it. Nothing of it is kept, so it is right after any restart. */
import { AGENT_IS_OVER, type AgentStanding, agentStanding, goneText } from '../../core/fleet/agent-status.ts'
import type { FleetHost } from '../../core/fleet/fleet-host.ts'
import { idleEndsAt } from '../../core/fleet/idle-clock.ts'
import type { Presence } from '../../core/fleet/presence.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { holdLine } from '../../core/hold-view/hold-row.ts'
import { waitsForModelUntil } from '../../core/run/outcome/outage.ts'
import { waitsForTurn } from '../../core/task/start-queue.ts'
import { isUnreadable, type Task } from '../../core/task/task.ts'
import type { RunRow } from '../../ports/store/runs.ts'
import { type AgentTasksDeps, isHere, isWorkedOn, runFields } from '../agent-tasks/agent-task.ts'
import { settleTask } from '../agent-tasks/settle-task.ts'
import type { AgentHold, AgentSummary } from '../face/agents.ts'
import { type AgentTerms, termsOf } from './agent-terms.ts'

/** All that rows tell about an agent; the messages of its session are in the journal. */
export type AgentRow = Omit<AgentSummary, 'last_message'>

/** An agent with the rows it was read from. */
export interface SeenAgent {
  readonly task: Task
  readonly row: RunRow | null
  readonly summary: AgentRow
  /** The open holds, in full. */
  readonly holds: readonly Hold[]
}

export async function lookAtAgent(deps: AgentTasksDeps, found: Task): Promise<SeenAgent> {
  const { task, row } = await settleTask(deps, found)
  const holds = row?.status === 'waiting' ? await deps.store.holds({ run_id: row.id, status: 'open' }) : []
  const presence = await presenceOf(deps, task)
  const gone_host = await goneHostOf(deps, task)
  return { task, row, holds, summary: summaryOf(deps, { task, row, holds, presence, gone_host }) }
}

/** `null` if its process certainly is gone: the row of one that was killed stays, also if its task has failed since. */
async function presenceOf({ store, liveness }: AgentTasksDeps, task: Task): Promise<Presence | null> {
  const { id, invocation, status } = task
  if (status === 'failed') return null
  const presence = await store.presences.find(id)
  return presence === null || presence.invocation !== invocation.n || liveness.isGone(presence.process)
    ? null
    : presence
}

type GoneHost = Pick<FleetHost, 'name' | 'seen_at'>

/** `null` if it is this machine, or something looks after its agents. A host without a row was never seen. */
async function goneHostOf(deps: AgentTasksDeps, task: Task): Promise<GoneHost | null> {
  if (task.host === null || isHere(deps, task)) return null
  const host = (await deps.store.hosts.list()).find(({ id }) => id === task.host)
  if (host === undefined) return { name: task.host, seen_at: null }
  return host.is_gone ? host : null
}

interface Rows {
  readonly task: Task
  readonly row: RunRow | null
  readonly holds: readonly Hold[]
  readonly presence: Presence | null
  readonly gone_host: GoneHost | null
}

function summaryOf(deps: AgentTasksDeps, { task, row, holds, presence, gone_host }: Rows): AgentRow {
  const { invocation } = task
  const terms = termsOf(task)
  const asking = holds.filter(({ kind }) => kind !== 'input')
  const asks = asking.length
  const status = agentStanding({
    task: {
      status: task.status,
      cancel_requested_by: task.cancel_requested_by,
      isSupervised: invocation.supervisor !== null && !waitsForTurn(invocation),
      isInteractive: terms.interactive !== null,
      error: invocation.error,
    },
    run: row && {
      status: row.status,
      ended: row.ended,
      isLeased: isWorkedOn(deps, { task, row }),
      retry_at: waitsForModelUntil(row, deps.clock.now()),
    },
    holds: { asks, isTextPause: holds.length > asks },
    presence,
    gone_host,
  })
  return {
    id: task.id,
    name: terms.name,
    agent: row?.agent ?? null,
    title: task.title,
    ...status,
    because: becauseOf(task, status, gone_host),
    interactive: terms.interactive,
    ...runFields({ task, row }),
    holds: asks,
    first_hold: firstOf(asking),
    ...attendanceIn(presence),
    ends_at: status.status === 'idle' ? endsAt({ task, row, holds, presence, gone_host }, terms) : null,
    host: task.host,
    workdir: terms.worktree?.path ?? task.workdir,
    worktree: terms.worktree,
    created_at: task.created_at,
    updated_at: task.updated_at,
  }
}

function firstOf([hold]: readonly Hold[]): AgentHold | null {
  if (!hold) return null
  const { id, kind, tool, due_at } = hold
  return { id, kind, tool, due_at, ...holdLine(hold) }
}

function attendanceIn(presence: Presence | null): Pick<AgentRow, 'queued' | 'clients' | 'writer' | 'last_error'> {
  if (presence === null) return { queued: 0, clients: 0, writer: null, last_error: null }
  const { queued, clients, writer, last_error } = presence
  return { queued, clients, writer, last_error }
}

/**
 * The end of the wait, as the agent's process counts it. The wait began with its text pause, its failed turn, or its
 * own start.
 */
function endsAt({ task, row, holds, presence }: Rows, { interactive }: AgentTerms): string | null {
  if (presence === null || row === null || interactive === null) return null
  const rested = Date.parse(holds[0]?.opened_at ?? row.updated_at)
  const began = task.invocation.started_at
  const at = idleEndsAt(
    {
      idle_since: began === null ? rested : Math.max(rested, Date.parse(began)),
      last_input_at: timeOf(presence.last_input_at),
      last_left_at: timeOf(presence.last_left_at),
      clients: presence.clients,
    },
    interactive,
  )
  return at === null ? null : new Date(at).toISOString()
}

function timeOf(at: string | null): number | null {
  return at === null ? null : Date.parse(at)
}

function becauseOf(task: Task, { status, because }: AgentStanding, gone: GoneHost | null): string {
  const host = gone === null || status === 'unreachable' || AGENT_IS_OVER[status] ? '' : `; ${goneText(gone)}`
  return `${because}${host}${isUnreadable(task) ? '; a part of its row cannot be read' : ''}`
}
