import { isOfHost } from '../core/fleet/fleet-host.ts'
import { taskRefusals } from '../core/refusals/task-refusals.ts'
import { WAITS_FOR_TURN, waitsForTurn } from '../core/task/start-queue.ts'
import { TASK_RESTS, type Task, type TaskStatus } from '../core/task/task.ts'
import type { Requester } from '../core/task/task-move.ts'
import type { Clock } from '../ports/clock.ts'
import type { ProcessNames } from '../ports/process/process-names.ts'
import type { HostStore } from '../ports/store/fleet/hosts.ts'
import type { TaskRegistry } from '../ports/store/fleet/task-registry.ts'
import { waitForTasks } from './wait-for-tasks.ts'

/** Milliseconds. Longer than a supervisor takes that could not be woken, plus the grace period of its command. */
const PATIENCE_MS = 15_000

export interface CancelNeeds {
  readonly taskId: string
  readonly registry: TaskRegistry
  readonly hosts: HostStore
  readonly clock: Clock
  readonly names: ProcessNames
  /** The task as it is, once what was lost is settled. */
  readonly look: () => Promise<Task>
}

type Step = 'over' | 'at_rest' | 'under_way'

const STEP: Record<TaskStatus, Step> = {
  pending: 'under_way',
  running: 'under_way',
  paused: 'at_rest',
  failed: 'at_rest',
  completed: 'over',
  cancelled: 'over',
  timed_out: 'over',
}

/** Nothing of a task that waits for its turn runs. */
function stepOf({ status, invocation }: Task): Step {
  return waitsForTurn(invocation) ? 'at_rest' : STEP[status]
}

/** Resolves to the task once nothing of it runs and it cannot be resumed. @throws RefusedError `not_cancelled_yet` */
export async function cancelTask(needs: CancelNeeds, asker: Requester): Promise<Task> {
  return (await cancelWaiting(needs, asker)) ?? cancelStarted(needs, asker)
}

async function cancelStarted(needs: CancelNeeds, asker: Requester): Promise<Task> {
  const { registry, look } = needs
  for (;;) {
    const task = await look()
    const place = { task_id: task.id, invocation: task.invocation.n, from: [task.status], cancel: asker } as const
    const step = stepOf(task)
    if (step === 'over') return task
    if (step === 'under_way') {
      if (await registry.move(place)) await untilStopped(needs, task.invocation.n)
      continue
    }
    const { supervisor } = task.invocation
    const cancelled = await registry.move({ ...place, supervisor, to: 'cancelled' })
    if (cancelled) return cancelled
  }
}

/** Before the first look: that starts tasks whose turn has come, and this one may be the next. */
async function cancelWaiting({ registry, taskId }: CancelNeeds, asker: Requester): Promise<Task | null> {
  const task = await registry.task(taskId)
  if (!task || !waitsForTurn(task.invocation)) return null
  const place = {
    task_id: taskId,
    invocation: task.invocation.n,
    from: ['pending'],
    supervisor: WAITS_FOR_TURN,
  } as const
  return registry.move({ ...place, cancel: asker, to: 'cancelled' })
}

/** The wish is durable. A supervisor whose command runs is woken to read it; before that it reads by itself. */
async function untilStopped({ clock, names, registry, hosts, look }: CancelNeeds, invocation: number): Promise<void> {
  const stopped = (task: Task) => TASK_RESTS[task.status] || task.invocation.n !== invocation
  let woken: string | null = null
  const [task] = await waitForTasks({
    clock,
    watch: onChange => registry.watch(onChange),
    look: async () => {
      const task = await look()
      const { supervisor } = task.invocation
      // Only its own host signals: elsewhere its supervisor reads the wish by itself.
      const mayWake = task.status === 'running' && isOfHost(task, hosts.self)
      if (mayWake && supervisor !== woken && wake(names, supervisor)) woken = supervisor
      return [task]
    },
    isOver: tasks => tasks.every(stopped),
    deadline: clock.steady() + PATIENCE_MS,
  })
  if (task && !stopped(task))
    throw isOfHost(task, hosts.self)
      ? taskRefusals.notCancelledYet(task.id, task.invocation.supervisor ?? 'nobody', task.invocation.supervisor)
      : taskRefusals.notCancelledThere(task.id, task.host, task.invocation.supervisor)
}

/** Never signals a process of which it is not certain that it is the supervisor. */
function wake(names: ProcessNames, supervisor: string | null): boolean {
  const found = supervisor === null ? null : names.find(supervisor)
  if (found === null) return false
  try {
    process.kill(found.pid, 'SIGTERM')
    return true
  } catch {
    // The process belongs to another user, or is gone by now.
    return false
  }
}
