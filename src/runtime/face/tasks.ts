import type { Amount } from '../../core/count.ts'
import type { PauseKind } from '../../core/run/profile.ts'
import type { Invocation, TaskStatus } from '../../core/task/task.ts'
import type { Requester } from '../../core/task/task-move.ts'
import type { ControlContext } from '../../ports/agent/control.ts'
import type { OutputRequest, TaskOutput } from '../../ports/process/task-manager.ts'
import type { TaskQuery } from '../../ports/store/fleet/task-registry.ts'
import type { PauseAnswer } from '../pauses/pause-decisions.ts'
import type { PauseReason } from '../views/pause-reason.ts'
import type { RunResult } from '../views/run-view.ts'

/**
 * Commands and agents as processes of their own, each with an id that outlives its process. The outcome of an agent is
 * read from its run, never from what its process printed.
 */
export interface Tasks {
  /** @throws RefusedError; then nothing was started. */
  startCommand(request: CommandRequest, starter: Starter): Promise<TaskSummary>

  /** @throws RefusedError; then nothing was started. */
  startAgent(request: ChildRequest, starter: Starter): Promise<TaskSummary>

  /** The end of its output has `outputBytes` bytes at most; default 8192. @throws RefusedError `unknown_task` */
  details(taskId: string, asker: Requester, outputBytes?: number): Promise<TaskDetails>

  /** A piece of what a task printed. @throws RefusedError `unknown_task` */
  output(taskId: string, request: OutputRequest): Promise<TaskOutput>

  /**
   * An invocation in its present state; `null`: the newest.
   * @throws RefusedError `unknown_task`, `unknown_invocation`
   */
  invocation(taskId: string, n: number | null): Promise<Invocation>

  /** Newest first. */
  list(query?: TaskQuery): Promise<TaskPage>

  /**
   * Waits until one of the tasks, or each, is over or needs a person. At the end of its time or when its signal is
   * aborted, the result is `timed_out`. A task whose holds were all decided elsewhere is resumed first.
   * @throws RefusedError `unknown_task`
   */
  wait(taskIds: string | readonly string[], request: TaskWaitRequest): Promise<TasksWaited>

  /**
   * Stops what runs and ends its run, for good, and what its agent started with it. A task that is over stays as it is.
   * @throws RefusedError `unknown_task`
   */
  cancel(taskId: string, asker: Requester & { readonly reason?: string | null }): Promise<TaskSummary>

  /**
   * Decides or answers a paused agent, and resumes it. A finished agent takes a prompt: the next run of its session is
   * under the same task.
   * @throws RefusedError; then the task did not change.
   */
  resume(taskId: string, resumption: TaskResumption): Promise<TaskSummary>

  /**
   * Resumes a task whose run can move: all holds were decided, or the run was interrupted or failed.
   * @throws RefusedError `nothing_to_go_on_with`
   */
  goOn(taskId: string, asker: Requester): Promise<TaskSummary>
}

/** The fields that a list shows of every task. */
export interface ListedTask {
  readonly title: string
  /** If it is an agent. */
  readonly run_id: string | null
  readonly session_id: string | null
  /** The checkpoint from which the run goes on. */
  readonly checkpoint_id: string | null
  /** The run whose agent started it. */
  readonly parent_run_id: string | null
  readonly created_at: string
  readonly updated_at: string
}

/** A task as a list shows it. */
export interface TaskSummary extends ListedTask {
  readonly task_id: string
  readonly kind: string
  /** The host that has its processes and its output; left out if the store is of one machine. */
  readonly host?: string
  readonly status: TaskStatus
  /** How many there were, this one included. */
  readonly invocations: Amount
  /** Exit code of the newest invocation; `null` while it runs, or if there is none. */
  readonly exit_code: Amount | null
  readonly signal: string | null
  readonly error: Invocation['error']
}

/** A pause of a task. `pause_reason` names its cause. */
export interface TaskPause {
  /** The checkpoint that `resume_task` takes to be sure that it decides this pause; `null` if there is none. */
  readonly checkpoint_id: string | null
  /** Whether `resume_task` can go on with it. */
  readonly resumable: boolean
  /** Everything is decided already: it only has to go on. */
  readonly ready: boolean
  readonly note: string | null
  /** The last text of the agent before it paused, or its question. */
  readonly agent_message: string | null
}

/** All that is known of one task. */
export interface TaskDetails extends TaskSummary {
  readonly workdir: string
  readonly timeout_seconds: number | null
  /** The cause of the pause, as the document of a run names it; `null` if the task does not wait, or has no run. */
  readonly pause_reason: PauseReason | null
  readonly pause: TaskPause | null
  /** Set if an agent is done. */
  readonly result: RunResult | null
  readonly stdout: TaskOutput
  readonly stderr: TaskOutput
  /** Oldest first. */
  readonly history: readonly Invocation[]
  /** Tasks that its agent started. */
  readonly children: readonly TaskSummary[]
}

/** Asks for a task in which another agent runs. `null` takes what the starter has. */
export interface ChildRequest {
  /** The work to do. */
  readonly prompt: string
  readonly title: string | null
  readonly instructions: string | null
  readonly tools: readonly string[] | null
  readonly model: string | null
  readonly max_steps: number | null
  /** Limit of each invocation; `null`: no limit. */
  readonly timeout_seconds: number | null
  /** Below that of its parent, and relative to it. */
  readonly workdir: string | null
  readonly pause_on: readonly PauseKind[]
  /** True: the process stays for the next message. Default: false. */
  readonly interactive?: boolean
}

/** The caller that starts a task, and its run. */
export interface Starter extends Requester, Pick<ControlContext, 'isGated'> {
  /** The run whose agent starts it; `null` if no agent does. */
  readonly runId: string | null
}

/** Asks for a task that runs a command. */
export interface CommandRequest {
  /** A line of shell, or an argument vector that no shell reads. */
  readonly command: string | readonly string[]
  readonly title: string | null
  /** Below that of its starter, and relative to it. */
  readonly workdir: string | null
  readonly timeout_seconds: number | null
}

/** A page of tasks. */
export interface TaskPage {
  readonly tasks: readonly TaskSummary[]
  /** The cursor of the next page; `null` if there are no more. */
  readonly next: string | null
}

/** Waits for tasks. */
export interface TaskWaitRequest {
  readonly until: 'any' | 'all'
  /** `null`: for as long as it takes. */
  readonly seconds: number | null
  readonly signal: AbortSignal
  readonly asker: Requester
  readonly onProgress?: (tasks: readonly TaskSummary[]) => void
}

/** The tasks at the end of a wait. */
export interface TasksWaited {
  readonly timed_out: boolean
  readonly tasks: readonly TaskSummary[]
}

/** The answer to the pause of a task. */
export interface TaskResumption {
  readonly answer: PauseAnswer
  /** The pause that it is for, as it was shown; `null`: the current one. */
  readonly checkpoint_id: string | null
  readonly asker: Requester
}
