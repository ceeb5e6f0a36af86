/**
 * Supervises one invocation of a task, from before its command is started until its end is recorded.
 * V1  A supervisor signs in first. If it is late and the task has moved on, it runs nothing.
 * V2  The end is recorded only after nothing of the command runs any more. Daemons that cut every tie may outlive a
 *     command that ended by itself, and outlive no stop.
 * V3  The row rules: a wish to cancel is read from there, after any signal to this process.
 * V4  Any failure here ends in the row, as long as the row can be written at all.
 */
import { endsWithin } from '../../async/grace-period.ts'
import { messageOf } from '../../core/errors.ts'
import { isUnsupervised } from '../../core/task/start-queue.ts'
import { type Invocation, statusAfterExit, type Task, type TaskStatus } from '../../core/task/task.ts'
import type { TaskMove } from '../../core/task/task-move.ts'
import type { Clock } from '../../ports/clock.ts'
import type { NoteCommand } from '../../ports/process/note-command.ts'
import type { Family, ProcessFamilies } from '../../ports/process/process-families.ts'
import type { ProcessNames } from '../../ports/process/process-names.ts'
import type { TaskRegistry } from '../../ports/store/fleet/task-registry.ts'
import { StartError } from '../start-error.ts'
import { stopFamily } from '../stop-family.ts'
import { type Environment, markOf } from '../task-environment.ts'
import { type CommandExit, CommandProcess } from './command-process.ts'
import { type Ending, endOfCommand } from './end-of-command.ts'
import { persistMove } from './persist-move.ts'

export interface SupervisorNeeds {
  readonly registry: TaskRegistry
  readonly clock: Clock
  readonly names: ProcessNames
  readonly families: ProcessFamilies
  /** The directory of kept output, absolute. */
  readonly directory: string
  /** That of this process. */
  readonly environment: Environment
  readonly noteCommand: NoteCommand
  /** Registers a callback for each signal to this process. */
  readonly onWake: (listener: () => void) => void
  /** Called when the task's time is over and before it is stopped, so that no other process continues its subject. */
  readonly onTimeout?: (task: Task) => Promise<void>
}

/** The time between SIGTERM and SIGKILL; none for leftovers of a command that ended by itself. */
const GRACE_MS: Record<Ending, number> = { exited: 0, timed_out: 500, cancelled: 2000, superseded: 500 }

/** Milliseconds for `onTimeout`: the command runs no longer than that because of it. */
const PATIENCE_MS = 1000

const STATUS_AFTER: Record<Exclude<Ending, 'superseded'>, (exit: CommandExit) => TaskStatus> = {
  exited: ({ exitCode }) => statusAfterExit(exitCode),
  timed_out: () => 'timed_out',
  cancelled: () => 'cancelled',
}

/** Resolves once it is over. If another process supervises the invocation, or it is over already, it does nothing. */
export async function supervise(needs: SupervisorNeeds, taskId: string, invocation: number): Promise<void> {
  const self = needs.names.nameOf(process.pid) ?? needs.names.self
  const task = await signIn(needs.registry, { taskId, invocation, self })
  if (!task) return
  await new Supervision(needs, task, self).run()
}

interface SignIn {
  readonly taskId: string
  readonly invocation: number
  readonly self: string
}

/** The starter of this process notes its name too. Either of the two may be first. */
async function signIn(registry: TaskRegistry, signing: SignIn): Promise<Task | null> {
  const { taskId, invocation, self } = signing
  const task = await registry.task(taskId)
  if (task && isUnsupervised(task.invocation.supervisor)) {
    const { supervisor } = task.invocation
    const place = { task_id: taskId, invocation, from: ['pending'], supervisor } as const
    const signed = await registry.move({ ...place, change: { supervisor: self } })
    return signed ?? signedIn(await registry.task(taskId), signing)
  }
  return signedIn(task, signing)
}

function signedIn(task: Task | null, { invocation, self }: SignIn): Task | null {
  const isOurs = task?.invocation.n === invocation && task.status === 'pending' && task.invocation.supervisor === self
  return isOurs ? task : null
}

class Supervision {
  readonly #needs: SupervisorNeeds
  readonly #task: Task
  readonly #self: string

  constructor(needs: SupervisorNeeds, task: Task, self: string) {
    this.#needs = needs
    this.#task = task
    this.#self = self
  }

  async run(): Promise<Task | null> {
    const { cancel_requested_by } = this.#task
    if (cancel_requested_by !== null) return this.#cancelled(cancel_requested_by)
    try {
      using command = await CommandProcess.start(this.#task, this.#needs)
      return await this.#attend(command)
    } catch (thrown) {
      return this.#fail(thrown)
    }
  }

  /** Nothing of it ran. */
  async #cancelled(cancel_requested_by: string): Promise<Task | null> {
    const ended = await this.#move({ from: ['pending'], to: 'cancelled' })
    return ended && { ...ended, cancel_requested_by }
  }

  async #attend(command: CommandProcess): Promise<Task | null> {
    const { families, names } = this.#needs
    const { id, invocation } = this.#task
    const process = names.nameOf(command.pid)
    const started = process === null ? null : (names.find(process)?.started ?? null)
    const family: Family = { leader: command.pid, started, mark: markOf(id, invocation.n) }
    try {
      return await this.#attendFamily(command, family, process)
    } catch (thrown) {
      await stopFamily(families, family, 0)
      throw thrown
    }
  }

  async #attendFamily(command: CommandProcess, family: Family, process: string | null): Promise<Task | null> {
    const running = await this.#move({ from: ['pending'], to: 'running', change: { process } })
    const watched = running && { task: running, supervisor: this.#self, command, family }
    const ending = watched ? await endOfCommand(this.#needs, watched) : 'superseded'
    if (ending === 'exited') await command.drained()
    if (ending === 'timed_out') await this.#tellOfTimeout()
    // The processes that must be gone (V2). A command that was killed has cleaned up nothing.
    const gone = ending === 'exited' && (await command.exit).signal === null ? { ...family, mark: null } : family
    const stopped = await stopFamily(this.#needs.families, gone, GRACE_MS[ending])
    await command.drained()
    return ending === 'superseded' ? null : this.#record(command, ending, stopped)
  }

  async #tellOfTimeout(): Promise<void> {
    const { clock, onTimeout } = this.#needs
    if (onTimeout) await endsWithin(clock, PATIENCE_MS, onTimeout(this.#task))
  }

  async #record(command: CommandProcess, ending: keyof typeof STATUS_AFTER, stopped: boolean): Promise<Task | null> {
    const exit = await command.exit
    return this.#move({
      from: ['running'],
      to: STATUS_AFTER[ending](exit),
      change: { exit_code: exit.exitCode, signal: exit.signal, error: faultOf(command, stopped), ...command.sizes },
    })
  }

  /** The command was not started, or this process is at fault. */
  async #fail(thrown: unknown): Promise<Task | null> {
    const error =
      thrown instanceof StartError
        ? { code: thrown.code, message: thrown.message }
        : { code: 'supervisor_failed', message: `Its supervisor failed: ${messageOf(thrown)}. It was stopped.` }
    return this.#move({ from: ['pending', 'running'], to: 'failed', change: { error } })
  }

  #move(move: Pick<TaskMove, 'from' | 'to' | 'change'>): Promise<Task | null> {
    const { id, invocation, timeout_ms } = this.#task
    const whole: TaskMove = {
      ...move,
      task_id: id,
      invocation: invocation.n,
      supervisor: this.#self,
      // A task with a cancel request must not be resumed.
      ...(move.to === 'paused' && { to_if_cancel_requested: 'cancelled' }),
    }
    // Until that is recorded, nothing limits how long the task runs, so recording it may not take longer than the
    // limit.
    const patience = move.to === 'running' ? (timeout_ms ?? undefined) : undefined
    return persistMove(this.#needs, whole, patience)
  }
}

function faultOf({ fault }: CommandProcess, stopped: boolean): Invocation['error'] {
  if (!stopped) return { code: 'not_stopped', message: 'Something of it still runs and could not be stopped.' }
  if (fault === null) return null
  return { code: 'output_lost', message: `Not all of its output could be kept: ${fault}.` }
}
