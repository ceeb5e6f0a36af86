/**
 * A server that is a process of ours: one message is one line of its stdin or stdout. Other lines are ignored. The
 * process and its children end with this process, unless that is killed outright.
 */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { StdioServer } from '../../core/settings/mcp-servers.ts'
import type { Family } from '../../ports/process/process-families.ts'
import { BoundedOutput } from '../run-command/bounded-output.ts'
import { familyIsGone, killOnExit, signalFamily } from '../run-command/process-family.ts'
import { MARK } from '../run-command/spawn-command.ts'
import { LongMessageError, MessageLines } from './message-lines.ts'

/** How long a server may take to end once its stdin is closed, and once it got a signal. */
const CLOSING_MS = 300
const ENDING_MS = 1000
/** The server's last output may still be in the pipes. */
const DRAIN_MS = 100
/** How much of the server's output an error message shows. */
const SHOWN_BYTES = 1000
const PRINTED = { headBytes: 2000, tailBytes: 2000 }

export interface ServerDeps {
  readonly directory: string
  /** All that it finds in its environment. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Called with the process id; call the result once the process has ended. */
  readonly note: (pid: number) => () => void
  /** @throws for what is no message. */
  readonly read: (line: string) => JSONRPCMessage
}

export class ServerProcess implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #server: StdioServer
  readonly #deps: ServerDeps
  readonly #stderr = new BoundedOutput(PRINTED)
  readonly #noise = new BoundedOutput(PRINTED)
  #child: ChildProcessWithoutNullStreams | null = null
  #family: Family | null = null
  #release: () => void = () => {}
  #forget: () => void = () => {}
  #fault: string | null = null
  #isOver = false

  constructor(server: StdioServer, deps: ServerDeps) {
    this.#server = server
    this.#deps = deps
  }

  /** @throws if the process cannot be started. */
  async start(): Promise<void> {
    const { spawn } = await import('node:child_process')
    // The global `crypto` would load all of Web Crypto for it.
    const mark = (await import('node:crypto')).randomUUID()
    const { environment, directory } = this.#deps
    const marks = [environment[MARK], mark].filter(Boolean).join(',')
    const child = spawn(this.#server.command, this.#server.args, {
      cwd: directory,
      env: { ...environment, [MARK]: marks },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A session of its own, so that all it starts can be found and stopped.
      detached: true,
    })
    if (child.pid !== undefined) this.#forget = this.#deps.note(child.pid)
    await once(child, 'spawn')
    this.#child = child
    this.#family = { leader: child.pid ?? null, mark }
    this.#release = killOnExit(this.#family)
    this.#listen(child)
  }

  #listen(child: ChildProcessWithoutNullStreams): void {
    const lines = new MessageLines(line => this.#take(line))
    child.stdout.on('data', (chunk: Buffer) => this.#read(lines, chunk))
    child.stderr.on('data', (chunk: Buffer) => this.#stderr.write(chunk))
    // A broken pipe needs no report: the end of the process is an event of its own.
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.on('error', () => {})
    child.on('error', () => {})
    child.once('exit', () => void this.#drain(child))
    // An idle server keeps no process waiting.
    child.unref()
    for (const pipe of [child.stdin, child.stdout, child.stderr]) (pipe as unknown as { unref?(): void }).unref?.()
  }

  #read(lines: MessageLines, chunk: Buffer): void {
    try {
      lines.write(chunk)
    } catch (thrown) {
      if (!(thrown instanceof LongMessageError)) throw thrown
      this.#fault = thrown.message
      void this.close()
    }
  }

  #take(line: string): void {
    try {
      this.onmessage?.(this.#deps.read(line))
    } catch {
      this.#noise.write(Buffer.from(`${line}\n`))
    }
  }

  async #drain(child: ChildProcessWithoutNullStreams): Promise<void> {
    if (!child.stdout.closed) await Promise.race([once(child, 'close'), delay(DRAIN_MS)])
    await this.#end()
  }

  /** Stops its remaining children too. */
  async #end(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    const { stdin, stdout, stderr } = this.#child ?? {}
    for (const pipe of [stdin, stdout, stderr]) pipe?.destroy()
    this.onclose?.()
    if (this.#family) signalFamily(this.#family, 'SIGKILL')
    this.#forget()
    this.#release()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin
    if (!stdin || this.#isOver || !stdin.writable) throw new Error('the server has ended')
    await new Promise<void>((sent, failed) => {
      stdin.write(`${JSON.stringify(message)}\n`, error => (error ? failed(error) : sent()))
    })
  }

  /** Closes stdin; a process that does not end then gets a signal, and is killed in the end. */
  async close(): Promise<void> {
    const family = this.#family
    if (!family || this.#isOver) return
    this.#child?.stdin.end()
    if (!(await familyIsGone(family, CLOSING_MS))) {
      signalFamily(family, 'SIGTERM')
      await familyIsGone(family, ENDING_MS)
    }
    await this.#end()
  }

  /** The known reason why it ended, or does not answer, in a sentence or two. */
  describe(): string {
    const parts = [this.#fault ?? this.#exit(), ...this.#printed()]
    return parts.filter(part => part !== null).join(' ')
  }

  #exit(): string | null {
    const { exitCode = null, signalCode = null } = this.#child ?? {}
    if (signalCode !== null) return `It was ended by ${signalCode}.`
    return exitCode === null ? null : `It ended with exit code ${exitCode}.`
  }

  #printed(): string[] {
    const streams = [
      ['its stderr', this.#stderr.end(SHOWN_BYTES).trim()],
      ['what it printed to stdout and is no message', this.#noise.end(SHOWN_BYTES).trim()],
    ] as const
    return streams.flatMap(([what, text]) => (text === '' ? [] : [`The end of ${what}: ${text}`]))
  }
}
