import { refused } from '../../../core/errors.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { AgentSummary } from '../../../runtime/face/agents.ts'
import type { CommandContext } from '../../command/command.ts'
import { placeFlags } from '../../command/place-flags.ts'
import type { App } from '../../compose/compose.ts'
import { startNeededDaemon } from '../../daemon/needed-daemon.ts'
import { actor } from '../../process/actor.ts'
import { onlyWord, openForReading } from '../open-for-reading.ts'
import { nextText, standingText } from './agent-text.ts'
import { starterIn } from './starter.ts'

/** The same definition and the same first message, in a new session. */
export async function respawnAgent(context: CommandContext, words: readonly string[]): Promise<number> {
  const named = onlyWord(words, 'agents respawn AGENT')
  await using app = await openForReading(context)
  return await told(context, app, await app.holdpoint.agents.respawn(named, starterIn(context.env)))
}

/** One whose process was lost goes on with its journal. */
export async function resumeAgent(context: CommandContext, words: readonly string[]): Promise<number> {
  const named = onlyWord(words, 'agents resume AGENT')
  await using app = await openForReading(context)
  const { agents, tasks } = app.holdpoint
  const { id } = await agents.find(named)
  await tasks.goOn(id, { by: actor(context.env), surface: 'cli' })
  return await told(context, app, await agents.find(id))
}

export async function forkAgent(context: CommandContext, [named, ...words]: readonly string[]): Promise<number> {
  if (named === undefined)
    throw refused('invalid_arguments', 'Usage: holdpoint agents fork AGENT [TEXT]', '`holdpoint agents` lists them.')
  await using app = await openForReading(context)
  const fork = {
    starter: starterIn(context.env),
    name: context.given.value('name'),
    text: words.length > 0 ? words.join(' ') : null,
  }
  return await told(context, app, await app.holdpoint.agents.fork(named, fork))
}

async function told(context: CommandContext, app: App, agent: AgentSummary): Promise<number> {
  const { io, json, given } = context
  await startNeededDaemon(context, app, agent)
  io.out(json ? jsonLine(agent) : `${standingText(agent)}${nextText(agent, placeFlags(given))}`)
  return 0
}
