/** The process of an agent, as lines attach to it. The first message starts one for an agent that is parked. */
import { eachChange } from '../../../../async/each-change.ts'
import { RefusedError } from '../../../../core/errors.ts'
import type { AgentFrame, ClientFrame, UserMessageFrame } from '../../../../core/fleet/frames.ts'
import { jsonLine } from '../../../../core/text/visible-text.ts'
import type { AgentDoor } from '../../../../ports/store/fleet/presences.ts'
import type { AgentSummary } from '../../../../runtime/face/agents.ts'
import type { CommandContext } from '../../../command/command.ts'
import type { App } from '../../../compose/compose.ts'
import { startNeededDaemon } from '../../../daemon/needed-daemon.ts'
import { actor } from '../../../process/actor.ts'
import { systemClock } from '../../../process/system-clock.ts'
import { version } from '../../../process/version.ts'
import { sessionRefusals } from '../../../refusals/session-refusals.ts'
import { AgentConnection, type Hello } from '../../../terminal/attached/agent-connection.ts'
import { type AskedFrame, AskedFrames } from '../../../terminal/attached/asked-frames.ts'
import type { TypedLines } from '../../../terminal/plain/typed-lines.ts'
import { calledAs } from '../agent-text.ts'
import { type AgentLine, type AttachedTo, noProcess } from './attached-to.ts'
import { decisionIn, messageIn, tellReceipt } from './frame-inputs.ts'
import { ToldFrames } from './told-frames.ts'
import { framesIn, problemText } from './typed-line.ts'

/** Milliseconds that a process may take to sign in. */
const PATIENCE_MS = 20_000

/**
 * `null` if the person left while the agent was parked. An agent with little patience may be parked again before its
 * process is attached to: what it did is shown, and the next line starts it again.
 * @throws RefusedError `not_interactive`, `not_attached`
 */
export async function openProcessLine(
  context: CommandContext,
  at: AttachedTo,
  lines: TypedLines | null,
): Promise<AgentLine | null> {
  const hello = { role: roleOf(context), actor: actor(context.env), client: `holdpoint/${version()}` } as const
  for (let now = at, mayEnd = process.stdin.isTTY; ; mayEnd = true) {
    if (isParked(now.agent) && !(await comesBack(context, now, { lines, mayEnd }))) return null
    const connection = await connectTo(now, hello)
    if (connection) return new ProcessLine(context, now, connection)
    now = await tellParked(context, now)
  }
}

function isParked({ status, interactive }: AgentSummary): boolean {
  return status === 'parked' && interactive !== null
}

/** `null` if the agent is parked by now. @throws RefusedError `not_interactive`, `not_attached` */
async function connectTo(at: AttachedTo, hello: Omit<Hello, 'since'>): Promise<AgentConnection | null> {
  const { app, agent, since } = at
  try {
    return await AgentConnection.open(await doorOf(app, agent.id), { ...hello, since })
  } catch (thrown) {
    const isRefused = thrown instanceof RefusedError && thrown.code === 'not_attached'
    if (isRefused && isParked(await app.holdpoint.agents.find(agent.id))) return null
    throw thrown
  }
}

/** Shows what its process did that nobody was attached to. */
async function tellParked({ io, json }: CommandContext, at: AttachedTo): Promise<AttachedTo> {
  const agent = await at.app.holdpoint.agents.find(at.agent.id)
  const told = new ToldFrames(calledAs(agent))
  const events = agent.session_id === null ? [] : await at.app.store.journal(agent.session_id, at.since)
  for (const event of events) io.out(json ? jsonLine({ type: 'event', event }) : told.event(event))
  return { ...at, agent, since: events.at(-1)?.seq ?? at.since }
}

/** A pipe may have nothing to say: it takes the right to write with its first line. */
function roleOf({ given }: CommandContext): 'writer' | 'viewer' {
  return !given.has('read-only') && (process.stdin.isTTY || given.has('end-on-eof')) ? 'writer' : 'viewer'
}

class ProcessLine implements AgentLine {
  readonly #context: CommandContext
  readonly #at: AttachedTo
  readonly #app: App
  readonly #connection: AgentConnection
  readonly #told: ToldFrames
  readonly #asked = new AskedFrames()
  /** Nobody has the right to write. */
  #isWriterWanted = false

  constructor(context: CommandContext, at: AttachedTo, connection: AgentConnection) {
    this.#context = context
    this.#at = at
    this.#app = at.app
    this.#connection = connection
    this.#told = new ToldFrames(calledAs(at.agent))
    this.#asked.begin(connection)
  }

  get holds(): ToldFrames['holds'] {
    return this.#told.holds
  }

  get isOpen(): Promise<void> {
    return this.#told.isOpen
  }

  async *news(signal: AbortSignal): AsyncGenerator<{ readonly document: AgentFrame; readonly text: string }> {
    for await (const frame of this.#connection.frames(signal)) {
      if (frame.type === 'welcome' || frame.type === 'status')
        this.#isWriterWanted = frame.role === 'viewer' && frame.writer === null
      const document = await this.#whole(frame)
      yield { document, text: this.#told.hear(document) + (await this.#opened(document)) }
      if (frame.type === 'ack' || frame.type === 'error') this.#asked.hear(frame)
    }
    this.#asked.end()
  }

  async say(frame: ClientFrame): Promise<boolean> {
    if (frame.type === 'ping') return true
    if (this.#isWriterWanted) await this.#asked.ask({ type: 'take_writer', input_id: crypto.randomUUID() })
    const answer = await this.#asked.ask(frame)
    return answer ? answer.type !== 'error' : this.#sayByStore(frame)
  }

  /** P2: its process is gone. Whether it took the frame is unknown, and the store takes it once under its id. */
  async #sayByStore(frame: AskedFrame): Promise<boolean> {
    const { io, env } = this.#context
    try {
      if (frame.type === 'user_message') await start(this.#context, this.#at, frame)
      else if (frame.type === 'end') await end(this.#context, this.#at)
      else if (frame.type === 'decide') {
        const signed = { ...decisionIn(frame), decided_by: actor(env), surface: 'cli' }
        tellReceipt(io, await this.#app.holdpoint.decide(frame.hold_id, signed))
      }
      return true
    } catch (thrown) {
      if (!(thrown instanceof RefusedError)) throw thrown
      if (frame.type === 'end' && thrown.code === 'ended') return true
      io.err(problemText(thrown))
      return false
    }
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]()
  }

  /** With the data of an event that is longer than a line may be. */
  async #whole(frame: AgentFrame): Promise<AgentFrame> {
    if (frame.type !== 'event' || frame.omitted_bytes === undefined) return frame
    const { thread_id, seq } = frame.event
    const [event] = await this.#app.store.journal(thread_id, seq - 1, 1)
    return event ? { type: 'event', event } : frame
  }

  /** Open holds are known with --json too, for those who decide by lines. */
  async #opened(frame: AgentFrame): Promise<string> {
    if (frame.type !== 'event' || frame.event.kind !== 'hold.opened') return ''
    if (this.holds.has(frame.event.data.hold_id)) return ''
    const hold = await this.#app.holdpoint.hold(frame.event.data.hold_id)
    return hold?.status === 'open' ? this.#told.opened(hold) : ''
  }
}

interface Typed {
  readonly lines: TypedLines | null
  /** The end of the input may leave it parked: a person sees that, and a program may have said all. */
  readonly mayEnd: boolean
}

/** False if the person left, or ended it, without a message. @throws RefusedError `not_attached` */
async function comesBack(context: CommandContext, at: AttachedTo, { lines, mayEnd }: Typed): Promise<boolean> {
  if (lines === null) throw noProcess(at.agent)
  const isBack = await byLines(context, at, lines)
  if (isBack !== null) return isBack
  if (!at.signal.aborted && context.given.has('end-on-eof')) return await end(context, at)
  // An input without a line said nothing, so there is nothing to attach to.
  if (mayEnd) return false
  throw noProcess(at.agent)
}

/** `null` if no line says whether it comes back. */
async function byLines(context: CommandContext, at: AttachedTo, lines: TypedLines): Promise<boolean | null> {
  for await (const text of lines.until(at.signal)) {
    const frames = framesIn(context.io, text, new Map())
    if (frames === 'leave') return false
    const [frame] = frames
    const isBack = frame ? await first(context, at, frame) : null
    if (isBack !== null) return isBack
  }
  return null
}

async function first(context: CommandContext, at: AttachedTo, frame: ClientFrame): Promise<boolean | null> {
  if (frame.type === 'end') return await end(context, at)
  if (frame.type === 'user_message') return await start(context, at, frame)
  context.io.err('! it is parked: a message starts its process\n')
  return null
}

async function end({ env }: CommandContext, { app, agent }: AttachedTo): Promise<false> {
  await app.holdpoint.agents.end(agent.id, { by: actor(env), surface: 'cli' })
  return false
}

async function start(context: CommandContext, { app, agent }: AttachedTo, message: UserMessageFrame): Promise<true> {
  const said = { ...(await messageIn(message, agent.workdir)), author: actor(context.env), surface: 'cli' }
  await startNeededDaemon(context, app, (await app.holdpoint.agents.send(agent.id, said)).agent)
  return true
}

/** If its process is about to come, it is waited for. @throws RefusedError `not_interactive`, `not_attached` */
async function doorOf({ holdpoint: { agents }, store }: App, id: string): Promise<AgentDoor> {
  const watches = [(onChange: () => void) => store.tasks.watch(onChange)]
  let agent: AgentSummary = await agents.find(id)
  const deadline = systemClock.steady() + PATIENCE_MS
  for await (const _ of eachChange({ clock: systemClock, watches, deadline, safetyMs: 100 })) {
    agent = await agents.find(id)
    if (agent.interactive === null) throw sessionRefusals.notInteractive(calledAs(agent))
    const door = await store.presences.door(id)
    if (door && !['crashed', 'killed', 'done', 'failed'].includes(agent.status)) return door
    if (!['queued', 'spawning', 'running'].includes(agent.status)) break
  }
  throw noProcess(agent)
}
