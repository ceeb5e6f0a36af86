/**
 * Attaching to an agent that is parked: its process is gone, so the first message starts the next one, as `agents send` does.
 */
import type { ClientFrame } from '../../../../core/fleet/frames.ts'
import type { AgentSummary } from '../../../../runtime/face/agents.ts'
import type { CommandContext } from '../../../command/command.ts'
import type { App } from '../../../compose/compose.ts'
import { startNeededDaemon } from '../../../daemon/needed-daemon.ts'
import { actor } from '../../../process/actor.ts'
import { noProcess } from './attach-refusals.ts'
import { typedLine, WHILE_WAITING } from './typed-line.ts'
import type { TypedLines } from './typed-lines.ts'

interface Parked {
  readonly agent: AgentSummary
  readonly lines: TypedLines
}

/** False if the person left, or ended it, without a message. */
export async function reviveAgent(context: CommandContext, app: App, { agent, lines }: Parked): Promise<boolean> {
  for await (const line of lines) {
    const typed = typedLine(line, crypto.randomUUID(), new Map())
    if (typed === 'leave') return false
    if ('problem' in typed) context.io.err(`! ${typed.problem}\n`)
    else if (typed.type === 'end') return end(context, app, agent)
    else if (await start(context, app, { agent, frame: typed })) return true
  }
  return leaveAtEnd(context, app, agent)
}

/** @throws RefusedError if an input without a line said nothing: then there is nothing to attach to. */
async function leaveAtEnd(context: CommandContext, app: App, agent: AgentSummary): Promise<false> {
  if (context.given.has('end-on-eof')) return end(context, app, agent)
  if (!process.stdin.isTTY) throw noProcess(agent)
  return false
}

async function end({ env }: CommandContext, { holdpoint }: App, { id }: AgentSummary): Promise<false> {
  await holdpoint.agents.end(id, { by: actor(env), surface: 'cli' })
  return false
}

async function start(
  context: CommandContext,
  app: App,
  { agent, frame }: { readonly agent: AgentSummary; readonly frame: ClientFrame },
): Promise<boolean> {
  if (frame.type !== 'user_message') {
    context.io.err('! it is parked: a message starts its process\n')
    return false
  }
  const { text, input_id: inputId, mode = 'queue' } = frame
  const said = { text, inputId, author: actor(context.env), surface: 'cli', whileWaiting: WHILE_WAITING[mode] }
  await startNeededDaemon(context, app, (await app.holdpoint.agents.send(agent.id, said)).agent)
  return true
}
