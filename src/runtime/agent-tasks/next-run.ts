import type { Content } from '../../core/message/part.ts'
import { outcomeOf } from '../../core/run/termination.ts'
import type { Task } from '../../core/task/task.ts'
import type { TaskResumption } from '../face/tasks.ts'
import type { Started, StartWithProfile } from '../views/face-options.ts'
import type { RunView } from '../views/run-view.ts'
import { type AgentTasksDeps, isHere, type TaskWithRun, waitsForTurn } from './agent-task.ts'

/** True for an agent that ended its run and can take another message. A cancelled or timed-out agent cannot. */
export function takesMore({ task, row }: TaskWithRun): boolean {
  return row?.status === 'done' && (task.status === 'completed' || task.status === 'failed')
}

interface NextRun extends Pick<TaskResumption, 'asker'>, Pick<StartWithProfile, 'inputId'> {
  readonly view: RunView
  /** `null`: it goes on with what it was told before. */
  readonly prompt: Content | null
}

/**
 * An agent that is done gets more to do: the next run of its session, under the same task. The run and the move of the
 * task are one transaction, so a crash leaves neither a run without its task nor a task without its run.
 */
export async function nextRun(
  deps: AgentTasksDeps,
  task: Task,
  { view, prompt, inputId, asker }: NextRun,
): Promise<Task> {
  const { holdpoint, processes, tasks } = deps
  const { profile, thread_id } = view
  const here = isHere(deps, task)
  if (here) await processes.rehearseResume(profile)
  const { seq, run: newest } = await holdpoint.thread(thread_id)
  const attending = ({ checkpoint_id }: Pick<Started, 'checkpoint_id'>) =>
    processes.attend({ checkpoint_id, pause_on: [] })
  const started = await holdpoint.start({
    ...{ profile, input: prompt, author: asker.by, ...(inputId !== undefined && { inputId }) },
    thread: { id: thread_id, seq },
    ...(newest?.id === view.id && carriedFrom(view)),
    task: run => {
      const place = { task_id: task.id, invocation: task.invocation.n, from: [task.status] }
      // Elsewhere it waits for its own host, which knows how its process is started.
      if (!here) return { ...place, to: 'paused', about: run.id }
      const next = { ...asker, argv: attending(run).argv, subject: run.id, waits: waitsForTurn(tasks, task) }
      return { ...place, to: 'pending', next }
    },
  })
  if (!here) return (await deps.store.tasks.task(task.id)) ?? task
  const environment = { ...attending(started).environment, HOLDPOINT_WITHIN: undefined }
  return tasks.launch(task.id, environment, task.invocation.n + 1)
}

/** Work that was left undone keeps what it used. */
function carriedFrom({ id: run_id, termination, steps, usage, counters }: RunView) {
  const isCompleted = termination !== null && outcomeOf(termination) === 'completed'
  return isCompleted ? {} : { carried: { run_id, steps, usage, counters } }
}
