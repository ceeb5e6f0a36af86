import type { Amount } from '../../core/count.ts'
import type { PauseKind } from '../../core/run/profile.ts'
import type { Termination } from '../../core/run/termination.ts'
import type { Invocation, TaskStatus } from '../../core/task/task.ts'
import type { Requester } from '../../core/task/task-move.ts'
import type { ControlContext } from '../../ports/agent/control.ts'
import type { OutputRequest, TaskOutput } from '../../ports/process/task-manager.ts'
import type { TaskQuery } from '../../ports/store/fleet/task-registry.ts'
import type { PauseAnswer } from '../pauses/pause-decisions.ts'
import type { PauseReason } from '../views/pause-reason.ts'

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

  /** As it is now; `null`: the newest. @throws RefusedError `unknown_task`, `unknown_invocation` */
  invocation(taskId: string, n: number | null): Promise<Invocation>

  /** Newest first. */
  list(query?: TaskQuery): Promise<TaskPage>

  /**
   * Until one of the tasks, or each, is over or waits for a person; also ends when its time is over or its signal aborted:
   * then `timed_out`. A task whose holds were all decided elsewhere goes on first. @throws RefusedError `unknown_task`
   */
  wait(taskIds: string | readonly string[], request: TaskWaitRequest): Promise<TasksWaited>

  /**
   * Stops what runs and ends its run, for good, and what its agent started with it. A task that is over stays as it is.
   * @throws RefusedError `unknown_task`
   */
  cancel(taskId: string, asker: Requester & { readonly reason?: string | null }): Promise<TaskSummary>

  /**
   * Gives a paused agent what it waits for, and goes on with it. An agent that is done takes a prompt: its next run goes on
   * with the session, under the same task. @throws RefusedError; then the task is as it was.
   */
  resume(taskId: string, resumption: TaskResumption): Promise<TaskSummary>

  /** Goes on with a task whose run can move: all was decided, or it was interrupted. @throws RefusedError `nothing_to_go_on_with` */
  goOn(taskId: string, asker: Requester): Promise<TaskSummary>
}

/** A task as a list shows it. */
export interface TaskSummary {
  readonly task_id: string
  readonly kind: string
  readonly title: string
  /** The host that has its processes and its output; left out if the store is of one machine. */
  readonly host?: string
  readonly status: TaskStatus
  /** If it is an agent. */
  readonly run_id: string | null
  readonly session_id: string | null
  /** The newest one. */
  readonly checkpoint_id: string | null
  readonly parent_run_id: string | null
  /** How many there were, this one included. */
  readonly invocations: Amount
  /** Of the newest invocation; `null` while it runs, or if it has none. */
  readonly exit_code: Amount | null
  readonly signal: string | null
  readonly error: Invocation['error']
  readonly created_at: string
  readonly updated_at: string
}

/** A pause of a task: how to go on. `pause_reason` says what it waits for. */
export interface TaskPause {
  /** What `resume_task` takes to be sure that it decides this pause; `null` if there is none. */
  readonly checkpoint_id: string | null
  /** Whether `resume_task` can go on with it. */
  readonly resumable: boolean
  /** Everything is decided already: it only has to go on. */
  readonly ready: boolean
  readonly note: string | null
  /** What the agent said before it paused, or what it asks. */
  readonly agent_message: string | null
}

/** All that is known of one task. */
export interface TaskDetails extends TaskSummary {
  readonly workdir: string
  readonly timeout_seconds: number | null
  /** What it waits for, as the document of a run names it; `null` if it does not wait, or no run tells. */
  readonly pause_reason: PauseReason | null
  readonly pause: TaskPause | null
  /** Of an agent that is done. */
  readonly result: { readonly final_message: string; readonly termination: Termination } | null
  readonly stdout: TaskOutput
  readonly stderr: TaskOutput
  /** Oldest first. */
  readonly history: readonly Invocation[]
  /** Tasks that its agent started. */
  readonly children: readonly TaskSummary[]
}

/** Asks for a task in which another agent runs. `null` takes what the starter has. */
export interface ChildRequest {
  /** The work that it is told to do. */
  readonly prompt: string
  readonly title: string | null
  readonly instructions: string | null
  readonly tools: readonly string[] | null
  readonly model: string | null
  readonly max_steps: number | null
  /** Of each invocation. */
  readonly timeout_seconds: number | null
  /** Below that of its parent, and relative to it. */
  readonly workdir: string | null
  readonly pause_on: readonly PauseKind[]
  /** True: its process stays when its run rests, for the next message. Default: false. */
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

/** One page of tasks. */
export interface TaskPage {
  readonly tasks: readonly TaskSummary[]
  /** Where to go on; `null` if there are no more. */
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

/** Answers the pause of a task, so that it goes on. */
export interface TaskResumption {
  readonly answer: PauseAnswer
  /** The pause that it is for, as it was shown; `null`: the current one. */
  readonly checkpoint_id: string | null
  readonly asker: Requester
}
