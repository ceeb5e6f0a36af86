import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { messageOf } from '../../core/errors.ts'
import { makeDirectories } from '../../core/make-directories.ts'
import type { Task } from '../../core/task/task.ts'
import type { NoteCommand } from '../../ports/process/note-command.ts'
import { outputDirectory } from '../output-segments.ts'
import { StartError } from '../start-error.ts'
import { commandEnvironment, type Environment } from '../task-environment.ts'
import { KeptOutput } from './kept-output.ts'

/** How long its pipes must be silent after a command has ended, while something else still holds them open. */
const QUIET_MS = 200
/** After this, what still prints is not waited for. */
const LONGEST_DRAIN_MS = 1000

export interface CommandExit {
  readonly exitCode: number | null
  readonly signal: string | null
}

export interface CommandDeps {
  /** The directory of kept output. */
  readonly directory: string
  /** That of the supervisor. */
  readonly environment: Environment
  readonly noteCommand: NoteCommand
}

/** The command of one invocation as a process, leader of a session of its own, and its output. */
export class CommandProcess implements Disposable {
  readonly #child: ChildProcess
  readonly pid: number
  readonly exit: Promise<CommandExit>
  readonly #closed: Promise<true>
  readonly #outputs: Record<'stdout' | 'stderr', KeptOutput>
  readonly #fault: string | null
  readonly #forget: () => void
  #chunks = 0

  /** Resolves once it runs. @throws StartError; nothing ran. */
  static async start(task: Task, deps: CommandDeps): Promise<CommandProcess> {
    const { child, forget } = await spawned(task, deps)
    return new CommandProcess(child, { directory: outputDirectory(deps.directory, task.id, task.invocation.n), forget })
  }

  private constructor(
    child: ChildProcess,
    { directory, forget }: { readonly directory: string; readonly forget: () => void },
  ) {
    this.#child = child
    this.#forget = forget
    this.pid = child.pid ?? 0
    this.#closed = new Promise(resolve => child.once('close', () => resolve(true)))
    this.exit = new Promise(resolve => child.once('exit', (exitCode, signal) => resolve({ exitCode, signal })))
    this.#fault = madeDirectory(directory)
    this.#outputs = {
      stdout: new KeptOutput({ directory, stream: 'stdout' }),
      stderr: new KeptOutput({ directory, stream: 'stderr' }),
    }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.on('data', (chunk: Buffer) => {
        this.#chunks++
        this.#outputs[name].write(chunk)
      })
      // A broken pipe needs no report.
      child[name]?.on('error', () => {})
    }
  }

  /** All that it printed, kept or not. */
  get sizes(): { readonly stdout_bytes: number; readonly stderr_bytes: number } {
    const { stdout, stderr } = this.#outputs
    return { stdout_bytes: stdout.size, stderr_bytes: stderr.size }
  }

  /** Why not all of its output could be kept; `null`: all that is to be kept was. */
  get fault(): string | null {
    const { stdout, stderr } = this.#outputs
    const fault = stdout.fault ?? stderr.fault
    return fault && (this.#fault ?? fault)
  }

  /** After its exit: its pipes are closed, or silent although something else holds them open. */
  async drained(): Promise<void> {
    const until = performance.now() + LONGEST_DRAIN_MS
    let seen = -1
    while (seen !== this.#chunks && performance.now() < until) {
      seen = this.#chunks
      if (await Promise.race([this.#closed, delay(QUIET_MS, false, { ref: false })])) return
      // A busy process may have overslept: what is in the pipes by now is read first.
      await nextTurn()
    }
  }

  [Symbol.dispose](): void {
    this.#forget()
    this.#child.stdout?.destroy()
    this.#child.stderr?.destroy()
    for (const output of Object.values(this.#outputs)) output[Symbol.dispose]()
  }
}

async function spawned(
  task: Task,
  { environment, noteCommand }: CommandDeps,
): Promise<{ child: ChildProcess; forget: () => void }> {
  const { workdir, invocation } = task
  const [program = '', ...args] = invocation.argv
  try {
    const child = spawn(program, args, {
      cwd: workdir,
      env: { ...commandEnvironment(environment, task) },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A session of its own, so that all it starts can be found and stopped.
      detached: true,
    })
    // A command that an agent started: before it can start anything itself.
    const agent = environment['HOLDPOINT_WITHIN']
    const forget = agent && child.pid !== undefined ? noteCommand(child.pid, agent) : () => {}
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    return { child, forget }
  } catch (thrown) {
    throw new StartError(`The command could not be started: ${reasonOf(thrown, task)}`, thrown)
  }
}

function reasonOf(thrown: unknown, { workdir, invocation }: Task): string {
  const { code } = thrown as NodeJS.ErrnoException
  // If the directory is missing, the system blames the program.
  if (code === 'ENOENT' && !existsSync(workdir)) return `the working directory ${workdir} does not exist`
  if (code === 'ENOENT') return `there is no program ${JSON.stringify(invocation.argv[0])}`
  if (code === 'E2BIG') return 'its arguments and its environment are too long for this system'
  return messageOf(thrown)
}

/** The reason why output cannot be kept there. */
function madeDirectory(directory: string): string | null {
  try {
    makeDirectories(directory, each => mkdirSync(each, { mode: 0o700 }))
    return null
  } catch (thrown) {
    return messageOf(thrown)
  }
}
