import { jsonLine } from '../../../core/text/json-line.ts'
import type { RemovedAgent } from '../../../runtime/face/agents.ts'
import type { CommandContext } from '../../command/command.ts'
import { placeFlags } from '../../command/place-flags.ts'
import { actor } from '../../process/actor.ts'
import { removeAgent } from '../../worktree/remove-agent.ts'
import { onlyWord, openForReading } from '../open-for-reading.ts'
import { calledAs, standingText } from './agent-text.ts'

/** One that waits for a message. @throws RefusedError `busy`, `ended` */
export async function endAgent(context: CommandContext, words: readonly string[]): Promise<number> {
  const { env, io, json } = context
  const named = onlyWord(words, 'agents end AGENT')
  await using app = await openForReading(context)
  const ended = await app.holdpoint.agents.end(named, { by: actor(env), surface: 'cli' })
  io.out(json ? jsonLine(ended) : standingText(ended))
  return 0
}

export async function killAgent(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, env, io, json } = context
  const named = onlyWord(words, 'agents kill AGENT')
  await using app = await openForReading(context)
  const killed = await app.holdpoint.agents.kill(named, {
    ...{ by: actor(env), surface: 'cli' },
    reason: given.value('reason'),
  })
  io.out(json ? jsonLine(killed) : standingText(killed))
  return 0
}

/** The row of an agent and its worktree. Its session stays, and so does all work in the worktree unless it is discarded. */
export async function takeAgentOff(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, io, json, server } = context
  const named = onlyWord(words, 'agents rm AGENT')
  const discard = given.has('discard')
  const removed = server ? await server.agents.remove(named, { discard }) : await removeHere(context, named, discard)
  io.out(json ? jsonLine(removed.agent) : removedText(removed, placeFlags(given)))
  return 0
}

async function removeHere(context: CommandContext, named: string, discard: boolean): Promise<RemovedAgent> {
  await using app = await openForReading(context)
  return await removeAgent(app.holdpoint.agents, named, { by: actor(context.env), surface: 'cli', discard })
}

function removedText({ agent, worktree_removed }: RemovedAgent, place: string): string {
  const branch = worktree_removed && agent.worktree ? `, with its worktree and the branch ${agent.worktree.branch}` : ''
  return `${calledAs(agent)} is off the list${branch}. Its session stays: \`holdpoint threads show ${agent.session_id}${place}\`.\n`
}
