/** An interactive agent whose process is this one: a real store, real sockets, and clients that speak the wire. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { provePeer } from '../../../src/client/reach/prove-peer.ts'
import { FRAME_PROTOCOL } from '../../../src/core/fleet/frames.ts'
import { PAUSE_KINDS } from '../../../src/core/run/profile.ts'
import { type Interactive, USUAL_INTERACTIVE } from '../../../src/core/settings/interactive-settings.ts'
import { runAgent } from '../../../src/hosts/agent-process/run-agent.ts'
import { type AgentOptions, defineAgent } from '../../../src/hosts/agents/define-agent.ts'
import { agentSockets } from '../../../src/hosts/compose/agents/agent-sockets.ts'
import { type App, openApp } from '../../../src/hosts/compose/compose.ts'
import { attendRun } from '../../../src/hosts/headless/attend-run.ts'
import { processLiveness } from '../../../src/hosts/process/process-liveness.ts'
import { systemClock } from '../../../src/hosts/process/system-clock.ts'
import type { Tool } from '../../../src/ports/agent/tool.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { AdvanceResult } from '../../../src/runtime/views/face-options.ts'
import { defineTool } from '../../../src/tools/define/define-tool.ts'
import { openDatabase } from '../../open-database.ts'

export type Frame = Readonly<Record<string, unknown>> & { readonly type: string }

/** A call that waits for a person, with what ran. */
export function asking(ran: string[] = []): Tool {
  return defineTool({
    name: 'deploy',
    description: 'Deploy it',
    inputSchema: { type: 'object', properties: { to: { type: 'string' } } },
    needsApproval: true,
    execute: async ({ to }: { to: string }) => {
      ran.push(to)
      return `deployed to ${to}`
    },
  })
}

export const DEPLOYS: object = { calls: [{ id: 'tc_1', name: 'deploy', args: { to: 'http' } }] }

export interface StageOptions {
  readonly turns: readonly unknown[]
  readonly agent?: Partial<AgentOptions>
  readonly settings?: Interactive
  /** Of the agent's process; its store keeps the time of the system. */
  readonly clock?: Clock
  /** Default: the directory of the stage. */
  readonly runtimeDirectory?: string
  /** Runs right before the agent's process begins. */
  readonly prepare?: (app: App) => Promise<void> | void
}

/** Changes the file of the store behind the back of all that use it. */
export function tamper({ store }: Pick<App, 'store'>, sql: string): void {
  using database = openDatabase(String(store.location.file))
  database.exec(sql)
}

export interface Stage {
  readonly app: App
  readonly run_id: string
  readonly thread_id: string
  readonly directory: string
  readonly warnings: string[]
  /** What became of the run, once the process has left. */
  readonly result: Promise<AdvanceResult>
  stop(): void
  /** The client proves which process it is, unless that is left to the test. */
  attach(hello?: Partial<Frame>, proves?: boolean): Promise<Client>
  socket(): Promise<Socket>
}

export async function anAgent({ turns, agent, settings, clock = systemClock, ...rest }: StageOptions): Promise<Stage> {
  const directory = mkdtempSync(join(tmpdir(), 'holdpoint-attach-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }))
  writeFileSync(join(directory, 'turns.json'), JSON.stringify(turns))
  const env = { XDG_RUNTIME_DIR: rest.runtimeDirectory ?? directory }
  const support = defineAgent({ name: 'support', model: 'script:turns.json', ...agent })
  const app = await openApp({ store: `sqlite:${join(directory, 'store.db')}`, agents: [support], directory, env })
  const { run_id, thread_id, workdir } = await begin(app, settings ?? USUAL_INTERACTIVE)
  await rest.prepare?.(app)
  const [over, warnings]: [AbortController, string[]] = [new AbortController(), []]
  const result = runAgent(
    {
      site: { holdpoint: app.holdpoint, store: app.store, clock, liveness: processLiveness() },
      place: {
        ...{ task_id: 'task_1', invocation: 1, name: 'docs', run_id, thread_id, workdir },
        settings: settings ?? USUAL_INTERACTIVE,
      },
      sockets: agentSockets(app.store.location, env),
      advance: (id, options) => attendRun(app.holdpoint, id, options),
      warn: problem => warnings.push(problem),
    },
    { signal: over.signal },
  )
  onTestFinished(async () => {
    over.abort()
    await result
    await app[Symbol.asyncDispose]()
  })
  const socket = async () => connect(await endpointOf(app))
  const attach = async (hello: Partial<Frame> = {}, proves = true) => {
    const endpoint = await endpointOf(app)
    const { token } = (await app.store.presences.door('task_1')) ?? {}
    const client = new Client(connect(endpoint), proves)
    client.send({ type: 'hello', protocol: FRAME_PROTOCOL, token, role: 'writer', actor: 'ana', ...hello })
    return client
  }
  return {
    ...{ app, run_id, thread_id, directory, warnings, result, socket, attach },
    stop: () => over.abort(),
  }
}

async function begin(app: App, interactive: Interactive) {
  const { holdpoint, store } = app
  const model = await holdpoint.start({ agent: 'support', input: 'only for its profile' })
  await holdpoint.cancel(model.id, { by: 'ana' })
  const profile = { ...(await holdpoint.run(model.id)).profile, pause_on: PAUSE_KINDS }
  const started = await holdpoint.start({
    ...{ profile, input: 'begin', author: 'ana' },
    task: run => ({
      ...{
        id: 'task_1',
        kind: 'agent',
        title: 'Docs',
        subject: run.id,
        details: { name: 'docs', interactive: { ...interactive } },
      },
      ...{ workdir: profile.workdir, timeout_ms: null, argv: ['true'], by: 'ana', surface: 'cli' },
    }),
  })
  const change = { supervisor: processLiveness().self }
  await store.tasks.move({ task_id: 'task_1', invocation: 1, from: ['pending'], to: 'running', change })
  return { run_id: started.id, thread_id: started.thread_id, workdir: profile.workdir }
}

async function endpointOf(app: App): Promise<string> {
  for (;;) {
    const presence = await app.store.presences.find('task_1')
    if (presence?.endpoint) return presence.endpoint
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

/** Time that passes so many times faster. */
export function hurried(factor: number): Clock {
  const begin = Date.now()
  return {
    now: () => begin + (Date.now() - begin) * factor,
    steady: () => (Date.now() - begin) * factor,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const stop = () => {
          clearTimeout(timer)
          reject(signal.reason)
        }
        const timer = setTimeout(() => {
          signal.removeEventListener('abort', stop)
          resolve()
        }, ms / factor)
        if (signal.aborted) stop()
        else signal.addEventListener('abort', stop, { once: true })
      }),
  }
}

/** One connection; it keeps every frame that came. */
export class Client {
  readonly socket: Socket
  readonly frames: Frame[] = []
  isClosed = false
  #waiting: (() => void)[] = []
  #text = ''
  #proven: Promise<void> = Promise.resolve()
  readonly #proves: boolean

  constructor(socket: Socket, proves = true) {
    this.socket = socket
    this.#proves = proves
    socket.setEncoding('utf8')
    socket.on('error', () => {})
    socket.on('data', (chunk: string) => this.#read(chunk))
    socket.on('close', () => {
      this.isClosed = true
      this.#wake()
    })
  }

  /** A decision goes out once the client has proven which process it is. */
  send(frame: object): void {
    const write = () => this.write(`${JSON.stringify(frame)}\n`)
    if ('type' in frame && frame.type === 'decide') void this.#proven.then(write)
    else write()
  }

  write(text: string): void {
    this.socket.write(text)
  }

  say(input_id: string, text: string, more: object = {}): Promise<Frame> {
    this.send({ type: 'user_message', input_id, text, ...more })
    return this.answerTo(input_id)
  }

  answerTo(input_id: string): Promise<Frame> {
    return this.until(frame => (frame.type === 'ack' || frame.type === 'error') && frame['input_id'] === input_id)
  }

  first(type: string, fits: (frame: Frame) => boolean = () => true): Promise<Frame> {
    return this.until(frame => frame.type === type && fits(frame))
  }

  status(status: string): Promise<Frame> {
    return this.first('status', frame => frame['status'] === status)
  }

  event(kind: string): Promise<Frame> {
    return this.first('event', ({ event }) => (event as Frame)['kind'] === kind)
  }

  /** The first frame that fits, also one that came before. */
  async until(fits: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.frames.find(fits)
      if (found) return found
      if (this.isClosed) throw new Error(`closed after ${JSON.stringify(this.frames).slice(-2000)}`)
      await new Promise<void>(resolve => this.#waiting.push(resolve))
    }
  }

  async closed(): Promise<void> {
    while (!this.isClosed) await new Promise<void>(resolve => this.#waiting.push(resolve))
  }

  /** The `seq` of each event that came, in order. */
  get seqs(): number[] {
    return this.frames.flatMap(({ type, event }) => (type === 'event' ? [Number((event as { seq: number }).seq)] : []))
  }

  #read(chunk: string): void {
    const lines = (this.#text + chunk).split('\n')
    this.#text = lines.pop() ?? ''
    for (const line of lines) this.#hear(JSON.parse(line) as Frame)
    this.#wake()
  }

  #hear(frame: Frame): void {
    this.frames.push(frame)
    const peer = frame['peer'] as { port: number; secret: string } | undefined
    if (this.#proves && frame.type === 'welcome' && peer) this.#proven = provePeer(peer.port, peer.secret)
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }
}
