import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { monotonicMs } from '../../async/monotonic.ts'
import { messageOf, ToolError } from '../../core/errors.ts'
import type { CommandOutput } from '../../ports/process/call-record.ts'
import type { Family } from '../../ports/process/process-families.ts'
import type { Launch } from '../box/mounts/launch.ts'
import { beginning, begunIn, handOver, notBoxed } from './begin-command.ts'
import { BoundedOutput } from './bounded-output.ts'
import { familyIsGone, killOnExit, signalFamily } from './process-family.ts'

/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 2000
/** How long its pipes must be silent after a command has ended, while something else still holds them open. */
const QUIET_MS = 200
/** After this, what still prints is not waited for. */
const LONGEST_DRAIN_MS = 1000

export interface CommandRequest {
  readonly command: string
  readonly workdir: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** In place of a shell on the directory: how the command begins in its box. */
  readonly launch?: Launch | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Called with the process id; call the result once the process has ended. */
  readonly note: (pid: number) => () => void
  /** Called with each piece of output. */
  readonly onOutput: (stream: 'stdout' | 'stderr', text: string) => void
  /** Called once it has run for a while: what it prints outlives this process until the result is called. */
  readonly keep?: ((output: CommandOutput) => () => void) | undefined
}

export interface CommandOutcome {
  readonly ending: 'exited' | 'timed_out' | 'aborted'
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: BoundedOutput
  readonly stderr: BoundedOutput
  /** True if it exited, and what it left running was ended. */
  readonly hasEndedBackground: boolean
}

/** Which commands a process descends from, by ids, the outermost first. */
export const MARK = 'HOLDPOINT_COMMAND_IDS'

/**
 * Runs a command to its end, its timeout or the signal. Its background processes are killed. If it is stopped, it gets
 * SIGTERM, then SIGKILL, and its daemons are stopped too. @throws ToolError COMMAND_NOT_STARTED or TOOL_CALL_NOT_BEGUN; nothing ran.
 */
export async function spawnCommand(request: CommandRequest): Promise<CommandOutcome> {
  const { child, family, forget } = await start(request)
  const release = killOnExit(family)
  const output = collect(child, request)
  using _ = keepLater(child, output, request)
  const boxed = begunIn(child)
  try {
    const ending = await endOf(child, request)
    const hasEndedBackground = await endFamily(ending, family, output)
    await output.drained()
    const { stdout, stderr } = output
    if (request.launch && !boxed.hasBegun && ending === 'exited') throw notBoxed(stderr)
    return { ending, exitCode: child.exitCode, signal: child.signalCode, stdout, stderr, hasEndedBackground }
  } finally {
    child.stdout?.destroy()
    child.stderr?.destroy()
    forget()
    release()
  }
}

interface Started {
  readonly child: ChildProcess
  readonly family: Family
  readonly forget: () => void
}

async function start(request: CommandRequest): Promise<Started> {
  const { spawn } = await import('node:child_process')
  // The global `crypto` would load all of Web Crypto for it.
  const mark = (await import('node:crypto')).randomUUID()
  const marks = [request.environment[MARK], mark].filter(Boolean).join(',')
  if (request.signal.aborted)
    throw new ToolError('TOOL_CALL_NOT_BEGUN', 'The command was stopped before it started. It had no effect.')
  try {
    const { file, args, environment, cwd, handed } = beginning(request)
    const child = spawn(file, args, {
      cwd,
      env: { ...environment, [MARK]: marks } as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'pipe', ...handed.map(each => (each === null ? 'ignore' : 'pipe'))],
      // A session of its own, so that all it starts can be found and stopped.
      detached: true,
    })
    // Before it can start anything itself.
    const forget = child.pid === undefined ? () => {} : request.note(child.pid)
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    handOver(child, handed)
    if (child.pid === undefined) throw new ToolError('COMMAND_NOT_STARTED', 'it has no process id')
    return { child, family: { leader: child.pid, mark }, forget }
  } catch (thrown) {
    throw notStarted(request, thrown)
  }
}

function notStarted({ workdir }: CommandRequest, thrown: unknown): ToolError {
  const code = (thrown as NodeJS.ErrnoException).code
  // If the directory is missing, the system blames the shell.
  const gone = code === 'ENOENT' && !existsSync(workdir)
  const tooLong = code === 'E2BIG' ? 'it is too long for this system; write it to a file and run that' : null
  const reason = gone ? `the working directory ${workdir} does not exist` : (tooLong ?? messageOf(thrown))
  return new ToolError('COMMAND_NOT_STARTED', `The command could not be started: ${reason}.`, { cause: thrown })
}

/** Commands are short, and what keeps their output is a process. */
const KEEP_AFTER_MS = 1_000

function keepLater(child: ChildProcess, { stdout, stderr }: Collected, { keep }: CommandRequest): Disposable {
  let undo = () => {}
  const begin = () => {
    const [out, err] = [descriptorOf(child.stdout), descriptorOf(child.stderr)]
    const printed = () => ({ stdout: stdout.text(), stderr: stderr.text() })
    if (out !== null && err !== null) undo = keep?.({ stdout: out, stderr: err, printed }) ?? undo
  }
  const timer = setTimeout(begin, KEEP_AFTER_MS)
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer)
      undo()
    },
  }
}

/** `null` once it is closed. Node shares a stream itself only with a child that then reads alone. */
function descriptorOf(stream: unknown): number | null {
  const { fd } = (stream as { readonly _handle?: { readonly fd?: number } | null } | null)?._handle ?? {}
  return fd === undefined || fd < 0 ? null : fd
}

interface Collected {
  readonly stdout: BoundedOutput
  readonly stderr: BoundedOutput
  /** The pipes are closed, or silent although something else holds them open. */
  drained(): Promise<void>
}

function collect(child: ChildProcess, { onOutput }: CommandRequest): Collected {
  const stdout = new BoundedOutput()
  const stderr = new BoundedOutput()
  const closed = new Promise<true>(resolve => child.once('close', () => resolve(true)))
  let chunks = 0
  for (const [name, output] of Object.entries({ stdout, stderr }) as ['stdout' | 'stderr', BoundedOutput][]) {
    // A character may be cut in two by the end of a chunk.
    const text = new TextDecoder()
    child[name]?.on('data', (chunk: Buffer) => {
      chunks++
      output.write(chunk)
      onOutput(name, text.decode(chunk, { stream: true }))
    })
    // A broken pipe needs no report.
    child[name]?.on('error', () => {})
  }
  const drained = async () => {
    const until = monotonicMs() + LONGEST_DRAIN_MS
    let seen = -1
    while (seen !== chunks && monotonicMs() < until) {
      seen = chunks
      if (await Promise.race([closed, delay(QUIET_MS, false, { ref: false })])) return
      // A busy process may have overslept: what is in the pipes by now is read first.
      await nextTurn()
    }
  }
  return { stdout, stderr, drained }
}

function endOf(child: ChildProcess, { timeoutMs, signal }: CommandRequest): Promise<CommandOutcome['ending']> {
  return new Promise(resolve => {
    const end = (ending: CommandOutcome['ending']) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', aborted)
      resolve(ending)
    }
    const aborted = () => end('aborted')
    const timer = setTimeout(() => end('timed_out'), timeoutMs)
    signal.addEventListener('abort', aborted)
    if (signal.aborted) aborted()
    child.once('exit', () => end('exited'))
    if (child.exitCode !== null || child.signalCode !== null) end('exited')
  })
}

/** True if the command exited and something of it still ran. */
async function endFamily(ending: CommandOutcome['ending'], family: Family, output: Collected): Promise<boolean> {
  if (ending === 'exited') {
    await output.drained()
    return kill({ ...family, mark: null })
  }
  await terminate(family)
  await kill(family)
  return false
}

async function terminate(family: Family): Promise<void> {
  signalFamily(family, 'SIGTERM')
  await familyIsGone(family, GRACE_MS)
}

/** More than once, for what was forked while the signal was on its way. True if there was anything to kill. */
async function kill(family: Family): Promise<boolean> {
  for (let attempt = 0; attempt < 10; attempt++) {
    if (await familyIsGone(family, attempt === 0 ? 0 : QUIET_MS)) return attempt > 0
    signalFamily(family, 'SIGKILL')
  }
  return true
}
