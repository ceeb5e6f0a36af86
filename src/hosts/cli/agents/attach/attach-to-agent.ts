/**
 * Attaches to the process of an agent: shows what happens, says what is typed. Keeps: to leave, to be cut or to come to the
 * end of stdin ends nothing of the agent, unless that is said in so many words.
 */
import { createInterface, type Interface } from 'node:readline'
import { eachChange } from '../../../../async/each-change.ts'
import { RefusedError } from '../../../../core/errors.ts'
import type { AgentFrame } from '../../../../core/fleet/frames.ts'
import { jsonLine } from '../../../../core/text/json-line.ts'
import type { AgentDoor } from '../../../../ports/store/fleet/presences.ts'
import type { AgentSummary } from '../../../../runtime/face/agents.ts'
import type { CommandContext } from '../../../command/command.ts'
import type { App } from '../../../compose/compose.ts'
import { actor } from '../../../process/actor.ts'
import { watchForStop } from '../../../process/interruption.ts'
import { systemClock } from '../../../process/system-clock.ts'
import { version } from '../../../process/version.ts'
import { onlyWord, openForReading } from '../../open-for-reading.ts'
import { calledAs, EXIT_OF, nextText, standingText } from '../agent-text.ts'
import { sinceIn } from '../since.ts'
import { AgentConnection } from './agent-connection.ts'
import { firstShown } from './first-shown.ts'
import { ToldFrames } from './told-frames.ts'
import { COMMANDS_HELP, typedLine } from './typed-line.ts'

/** Milliseconds that a process may take to sign in. */
const PATIENCE_MS = 20_000

export async function attachToAgent(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, env } = context
  const named = onlyWord(words, 'agents attach AGENT')
  const since = sinceIn(given)
  using stop = watchForStop()
  await using app = await openForReading(context)
  const { agent, door } = await doorOf(app, named)
  const isWriter = !given.has('read-only') && (process.stdin.isTTY || given.has('end-on-eof'))
  using connection = await AgentConnection.open(door, {
    role: isWriter ? 'writer' : 'viewer',
    since: since ?? (await firstShown(app, agent)),
    ...{ actor: actor(env), client: `holdpoint/${version()}` },
  })
  const left = new AbortController()
  const told = new ToldFrames(calledAs(agent))
  using _typing = isWriter ? typing({ context, connection, told, leave: () => left.abort() }) : null
  const signal = AbortSignal.any([stop.signal, context.io.unread, left.signal])
  for await (const frame of connection.frames(signal)) await tell(context, app, { frame, told })
  return await tellLeft(context, app, agent)
}

/** Of an agent whose process is about to come, it is waited for. @throws RefusedError `not_interactive`, `not_attached` */
async function doorOf(app: App, named: string): Promise<{ agent: AgentSummary; door: AgentDoor }> {
  const { agents } = app.holdpoint
  const watches = [(onChange: () => void) => app.store.tasks.watch(onChange)]
  let agent = await agents.find(named)
  const deadline = systemClock.now() + PATIENCE_MS
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

async function tell({ io, json }: CommandContext, { holdpoint }: App, { frame, told }: Heard): Promise<void> {
  if (json) {
    io.out(jsonLine(frame))
    return
  }
  io.out(told.hear(frame))
  if (frame.type !== 'event' || frame.event.kind !== 'hold.opened') return
  if (told.holds.has(frame.event.data.hold_id)) return
  const hold = await holdpoint.hold(frame.event.data.hold_id)
  if (hold?.status === 'open') io.out(told.opened(hold))
}

interface Typing {
  readonly context: CommandContext
  readonly connection: AgentConnection
  readonly told: ToldFrames
  readonly leave: () => void
}

/** Each line is a message or a command. */
function typing({ context: { io, given }, connection, told, leave }: Typing): Disposable {
  const lines: Interface = createInterface({ input: process.stdin })
  lines.on('line', line => {
    if (line.trim() === '') return
    const typed = typedLine(line, crypto.randomUUID(), told.holds)
    if (typed === 'leave') leave()
    else if ('problem' in typed) io.err(`! ${typed.problem}\n`)
    else connection.say(typed)
  })
  lines.on('close', () => {
    if (given.has('end-on-eof')) connection.say({ type: 'end', input_id: crypto.randomUUID() })
    else leave()
  })
  if (process.stdin.isTTY) io.err(`~ a line is a message; ${COMMANDS_HELP}\n`)
  return { [Symbol.dispose]: () => lines.removeAllListeners().close() }
}

async function tellLeft({ io, json }: CommandContext, { holdpoint }: App, { id }: AgentSummary): Promise<number> {
  const agent = await holdpoint.agents.find(id)
  if (!json) io.err(`${standingText(agent)}${nextText(agent, '')}`)
  return EXIT_OF[agent.status]
}

function notInteractive(agent: AgentSummary): RefusedError {
  const called = calledAs(agent)
  return new RefusedError('not_interactive', `The process of ${called} does not stay, so nobody can attach to it.`, {
    hint: `Use \`holdpoint agents logs ${called} --follow\` and \`holdpoint agents send ${called} "…"\`, or spawn it with --interactive.`,
  })
}

function noProcess(agent: AgentSummary): RefusedError {
  const called = calledAs(agent)
  const how =
    agent.status === 'parked'
      ? `A message starts one: \`holdpoint agents send ${called} "…"\`.`
      : `See \`holdpoint agents show ${called}\`.`
  return new RefusedError('not_attached', `${called} is ${agent.status}, so it has no process: ${agent.because}.`, {
    hint: how,
  })
}
