import type { AgentFacts } from '../../core/fleet/agent-status.ts'
import type { TurnError } from '../../core/fleet/presence.ts'
import type { Interactive } from '../../core/settings/interactive-settings.ts'
import type { Task } from '../../core/task/task.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Liveness } from '../../ports/process/liveness.ts'
import type { Store } from '../../ports/store/store.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'

/** The process of an agent uses this much of the outside. */
export interface AgentContext {
  readonly holdpoint: Holdpoint
  readonly store: Pick<
    Store,
    'tasks' | 'presences' | 'holds' | 'run' | 'runs' | 'journal' | 'newest' | 'findInput' | 'record'
  >
  readonly clock: Clock
  readonly liveness: Pick<Liveness, 'self'>
}

/** The agent that this process is the process of. */
export interface AgentPlace {
  readonly task_id: string
  readonly invocation: number
  readonly name: string
  readonly run_id: string
  readonly thread_id: string
  /** Absolute: files of messages are at or below it. */
  readonly workdir: string
  readonly settings: Interactive
}

/** The rows of the agent as they are now. The process that asks is its own. */
export async function factsOf(
  { store }: AgentContext,
  { task_id, run_id }: Pick<AgentPlace, 'task_id' | 'run_id'>,
  presence: { readonly last_error: TurnError | null },
): Promise<AgentFacts> {
  const [task, run] = await Promise.all([store.tasks.task(task_id), store.run(run_id)])
  const open = run?.status === 'waiting' ? await store.holds({ run_id, status: 'open' }) : []
  const isTextPause = open.some(({ kind }) => kind === 'input')
  return {
    task: taskFacts(task),
    run: run && { status: run.status, ended: run.ended, isLeased: run.lease !== null, retry_at: run.retry_at },
    gone_host: null,
    holds: { asks: open.filter(({ kind }) => kind !== 'input').length, isTextPause },
    presence,
  }
}

function taskFacts(task: Task | null): AgentFacts['task'] {
  return {
    // The asking process is running, even if its row differs.
    status: 'running',
    cancel_requested_by: task?.cancel_requested_by ?? null,
    isSupervised: true,
    isInteractive: true,
    error: task?.invocation.error ?? null,
  }
}
