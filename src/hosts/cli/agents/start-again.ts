import { refused } from '../../../core/errors.ts'
import { jsonLine } from '../../../core/text/visible-text.ts'
import type { AgentSummary } from '../../../runtime/face/agents.ts'
import type { CommandContext } from '../../command/command.ts'
import { placeFlags } from '../../command/flag-values.ts'
import type { App } from '../../compose/compose.ts'
import { startNeededDaemon } from '../../daemon/needed-daemon.ts'
import { signer } from '../../process/actor.ts'
import { onlyWord, openForReading } from '../open-for-reading.ts'
import { nextText, standingText } from './agent-text.ts'
import { starterIn } from './spawn-agent.ts'

/** Starts the same definition with the same first message, in a new session. */
export async function respawnAgent(context: CommandContext, words: readonly string[]): Promise<number> {
  const named = onlyWord(words, 'agents respawn AGENT')
  await using app = await openForReading(context)
  return await told(context, app, await app.holdpoint.agents.respawn(named, starterIn(context.env)))
}

/** Resumes an agent whose process was lost, or whose run failed, from its journal. */
export async function resumeAgent(context: CommandContext, words: readonly string[]): Promise<number> {
  const named = onlyWord(words, 'agents resume AGENT')
  await using app = await openForReading(context)
  const { agents, tasks } = app.holdpoint
  const { id } = await agents.find(named)
  await tasks.goOn(id, signer(context.env))
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
