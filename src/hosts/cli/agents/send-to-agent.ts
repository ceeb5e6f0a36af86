import { refused } from '../../../core/errors.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { AgentSent } from '../../../runtime/face/agents.ts'
import type { CommandContext } from '../../command/command.ts'
import { placeFlags } from '../../command/place-flags.ts'
import { actor } from '../../process/actor.ts'
import { readText } from '../../process/read-text.ts'
import { openForReading } from '../open-for-reading.ts'
import { nextText, standingText } from './agent-text.ts'
import { tellRest } from './tell-rest.ts'

export async function sendToAgent(context: CommandContext, [named, ...words]: readonly string[]): Promise<number> {
  const { given, env, io, json } = context
  if (named === undefined || words.length === 0)
    throw refused('invalid_arguments', 'Usage: holdpoint agents send AGENT TEXT', '`holdpoint agents` lists them.')
  const text = words.length === 1 && words[0] === '-' ? await readText('-', 'The message') : words.join(' ')
  const inputId = given.value('input-id')
  await using app = await openForReading(context)
  const sent = await app.holdpoint.agents.send(named, {
    ...{ text, author: actor(env), surface: 'cli' },
    whileWaiting: given.has('now') ? 'supersede' : 'queue',
    ...(inputId !== null && { inputId }),
  })
  if (given.has('wait')) return await tellRest(context, app, sent.agent)
  io.out(json ? jsonLine(sent) : toldOf(sent, placeFlags(given)))
  return 0
}

const BECAME: Record<AgentSent['outcome'], string> = {
  queued: 'The message waits for its turn.',
  answered: 'The agent goes on with the message.',
  superseded: 'The message takes the place of the calls that waited.',
  started: 'The agent was done, and goes on with the message.',
  duplicate: 'The message was taken before.',
}

function toldOf({ outcome, agent }: AgentSent, place: string): string {
  return `${BECAME[outcome]}\n${standingText(agent)}${nextText(agent, place)}`
}
