/**
 * Attaches to the process of an agent: shows what happens, says what is typed. Keeps: to leave, to be cut or to come to the
 * end of stdin ends nothing of the agent, unless that is said in so many words.
 */
import { eachChange } from '../../../../async/each-change.ts'
import { refused } from '../../../../core/errors.ts'
import type { AgentFrame, ClientFrame } from '../../../../core/fleet/frames.ts'
import { durationText } from '../../../../core/text/duration-text.ts'
import { jsonLine } from '../../../../core/text/json-line.ts'
import type { AgentDoor } from '../../../../ports/store/fleet/presences.ts'
import type { AgentSummary } from '../../../../runtime/face/agents.ts'
import type { CommandContext } from '../../../command/command.ts'
import { placeFlags } from '../../../command/place-flags.ts'
import type { App } from '../../../compose/compose.ts'
import { canAsk } from '../../../display/ask-line.ts'
import { actor } from '../../../process/actor.ts'
import { watchForStop } from '../../../process/interruption.ts'
import { systemClock } from '../../../process/system-clock.ts'
import { version } from '../../../process/version.ts'
import { AgentConnection } from '../../../terminal/attached/agent-connection.ts'
import { orAtItsHost, refuseAttachElsewhere } from '../../another-host.ts'
import { onlyWord, openForReading } from '../../open-for-reading.ts'
import { calledAs, EXIT_OF, nextText, standingText } from '../agent-text.ts'
import { sinceIn } from '../since.ts'
import { noProcess, notInteractive } from './attach-refusals.ts'
import { firstShown } from './first-shown.ts'
import { reviveAgent } from './revive-agent.ts'
import { ToldFrames } from './told-frames.ts'
import { COMMANDS_HELP, typedLine } from './typed-line.ts'
import { TypedLines } from './typed-lines.ts'

/** Milliseconds that a process may take to sign in. */
const PATIENCE_MS = 20_000
/** The exit code if the agent could not be ended with the input. */
const REFUSED = 2

interface Wanted {
  readonly named: string
  /** `null`: the last messages. */
  readonly since: number | null
  readonly signal: AbortSignal
}

/** Frames and news are two documents: with `--json` a server is used only if it is named. */
export function attachToAgent(context: CommandContext, words: readonly string[]): Promise<number> {
  if (context.json) return attach(context, words)
  return orAtItsHost(context, at => attach(at, words))
}

async function attach(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, server } = context
  const named = onlyWord(words, 'agents attach AGENT')
  if (server) return (await import('./attach-there.ts')).attachThere({ ...context, server }, named)
  const since = sinceIn(given)
  using stop = watchForStop()
  await using app = await openForReading(context)
  await refuseAttachElsewhere(app, await app.holdpoint.agents.find(named))
  if (!isTalk(context)) return await attachLines(context, app, { named, since, signal: stop.signal })
  const { attachScreen } = await import('./attach-screen.ts')
  const last = await attachScreen(context, app, { named, since, signal: stop.signal })
  return await tellLeft(context, app, last)
}

/** A person at a terminal. `--read-only` and `--end-on-eof` are for lines. @throws RefusedError `invalid_arguments` */
function isTalk({ io, json, given }: CommandContext): boolean {
  const isForLines = json || given.has('read-only') || given.has('end-on-eof')
  if (given.has('plain') && (isForLines || !canAsk(io)))
    throw refused(
      'invalid_arguments',
      '--plain is the chat as lines, for a person at a terminal.',
      'Leave it out: without one, attach writes lines by itself.',
    )
  return !isForLines && canAsk(io)
}

async function attachLines(context: CommandContext, app: App, { named, since, signal }: Wanted): Promise<number> {
  const { env } = context
  using lines = isWriter(context) ? new TypedLines() : null
  const found = await app.holdpoint.agents.find(named)
  if (!(await comesBack(context, app, { agent: found, lines }))) return await tellLeft(context, app, found)
  const { agent, door } = await doorOf(app, found.id)
  using connection = await AgentConnection.open(door, {
    role: roleOf(context),
    since: since ?? (await firstShown(app, agent)),
    ...{ actor: actor(env), client: `holdpoint/${version()}` },
  })
  const left = new AbortController()
  const told = new ToldFrames(calledAs(agent))
  const endId = crypto.randomUUID()
  if (lines) void typing({ context, connection, told, endId, lines, leave: () => left.abort() })
  const until = AbortSignal.any([signal, context.io.unread, left.signal])
  for await (const frame of connection.frames(until)) {
    await tell(context, app, { frame, told })
    // All was said, and the agent goes on: nothing is left to wait for.
    if (frame.type === 'error' && frame.input_id === endId) return REFUSED
  }
  const exit = await tellLeft(context, app, agent)
  return told.hasRefused && !process.stdin.isTTY ? REFUSED : exit
}

function isWriter({ given }: CommandContext): boolean {
  return !given.has('read-only')
}

/** A pipe may have nothing to say: it takes the right to write with its first line. */
function roleOf(context: CommandContext): 'writer' | 'viewer' {
  const isForWriting = process.stdin.isTTY || context.given.has('end-on-eof')
  return isWriter(context) && isForWriting ? 'writer' : 'viewer'
}

/** The first line starts an agent that is parked. False if the person left without one. */
async function comesBack(
  context: CommandContext,
  app: App,
  { agent, lines }: { readonly agent: AgentSummary; readonly lines: TypedLines | null },
): Promise<boolean> {
  const isParked = agent.status === 'parked' && agent.interactive !== null
  return lines === null || !isParked || reviveAgent(context, app, { agent, lines })
}

/** Of an agent whose process is about to come, it is waited for. @throws RefusedError `not_interactive`, `not_attached` */
async function doorOf(app: App, named: string): Promise<{ agent: AgentSummary; door: AgentDoor }> {
  const { agents } = app.holdpoint
  const watches = [(onChange: () => void) => app.store.tasks.watch(onChange)]
  let agent = await agents.find(named)
  const deadline = systemClock.steady() + PATIENCE_MS
  for await (const _ of eachChange({ clock: systemClock, watches, deadline, safetyMs: 100 })) {
    agent = await agents.find(agent.id)
    if (agent.interactive === null) break
    const door = await app.store.presences.door(agent.id)
    if (door && !['crashed', 'killed', 'done', 'failed'].includes(agent.status)) return { agent, door }
    if (!['queued', 'spawning', 'running'].includes(agent.status)) break
  }
  throw agent.interactive === null ? notInteractive(agent) : noProcess(agent)
}

interface Heard {
  readonly frame: AgentFrame
  readonly told: ToldFrames
}

/** Open holds are known with --json too, for those who decide by lines. */
async function tell({ io, json }: CommandContext, app: App, { frame, told }: Heard): Promise<void> {
  const heard = await whole(app, frame)
  const text = told.hear(heard) + (await opened(app, { frame: heard, told }))
  io.out(json ? jsonLine(heard) : text)
}

/** With the data of an event that is longer than a line may be. */
async function whole({ store }: App, frame: AgentFrame): Promise<AgentFrame> {
  if (frame.type !== 'event' || frame.omitted_bytes === undefined) return frame
  const { thread_id, seq } = frame.event
  const [event] = await store.journal(thread_id, seq - 1, 1)
  return event ? { type: 'event', event } : frame
}

async function opened({ holdpoint }: App, { frame, told }: Heard): Promise<string> {
  if (frame.type !== 'event' || frame.event.kind !== 'hold.opened') return ''
  if (told.holds.has(frame.event.data.hold_id)) return ''
  const hold = await holdpoint.hold(frame.event.data.hold_id)
  return hold?.status === 'open' ? told.opened(hold) : ''
}

interface Typing {
  readonly context: CommandContext
  readonly connection: AgentConnection
  readonly told: ToldFrames
  /** Of the frame that ends the agent with the input. */
  readonly endId: string
  readonly lines: TypedLines
  readonly leave: () => void
}

/**
 * Each line is a message or a command. Those that come before the welcome wait for it: it tells what is open. A person
 * who leaves has been told what became of each line.
 */
async function typing({ context: { io, given }, connection, told, endId, lines, leave }: Typing): Promise<void> {
  if (process.stdin.isTTY) io.err(`~ a line is a message; ${COMMANDS_HELP}\n`)
  const say = (frame: ClientFrame) => {
    told.said(frame)
    connection.say(frame)
  }
  await told.welcomed
  const { count, leaves } = await sayLines(lines, { io, told, say })
  if (!leaves && lines.isClosed) return
  if (!leaves && given.has('end-on-eof')) return say({ type: 'end', input_id: endId })
  // An input without a line said nothing: it is that of one who only looks.
  if (count === 0 && !process.stdin.isTTY) return
  await told.answered()
  leave()
}

interface Saying extends Pick<Typing, 'told'>, Pick<CommandContext, 'io'> {
  readonly say: (frame: ClientFrame) => void
}

/** Until the lines end, or one of them leaves. */
async function sayLines(lines: TypedLines, { io, told, say }: Saying): Promise<{ count: number; leaves: boolean }> {
  let count = 0
  for await (const line of lines) {
    count += 1
    if (told.mayTakeWriter) say({ type: 'take_writer', input_id: crypto.randomUUID() })
    const typed = typedLine(line, crypto.randomUUID(), told.holds)
    if (typed === 'leave') return { count, leaves: true }
    if ('problem' in typed) io.err(`! ${typed.problem}\n`)
    else say(typed)
  }
  return { count, leaves: false }
}

async function tellLeft({ io, json, given }: CommandContext, { holdpoint }: App, left: AgentSummary): Promise<number> {
  const agent = await holdpoint.agents.find(left.id)
  if (!json) io.err(`${standingText(agent)}${idleText(agent)}${nextText(agent, placeFlags(given))}`)
  return EXIT_OF[agent.status]
}

/** The clock of an idle agent begins when the last client leaves. */
function idleText({ status, interactive }: AgentSummary): string {
  if (status !== 'idle' || !interactive || interactive.idle_timeout_ms === 0) return ''
  const then = interactive.on_idle === 'park' ? 'parks' : 'ends'
  return `  Without a message it ${then} ${durationText(interactive.idle_timeout_ms)} after the last client left.\n`
}
