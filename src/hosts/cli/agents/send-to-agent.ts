import { refused } from '../../../core/errors.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import type { AgentSent } from '../../../runtime/face/agents.ts'
import type { WhileWaiting } from '../../../runtime/threads/send-message.ts'
import type { CommandContext } from '../../command/command.ts'
import type { Given } from '../../command/flags.ts'
import { placeFlags } from '../../command/place-flags.ts'
import { startNeededDaemon } from '../../daemon/needed-daemon.ts'
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
  const whileWaiting = modeIn(given)
  await using app = await openForReading(context)
  const sent = await app.holdpoint.agents.send(named, {
    ...{ text, author: actor(env), surface: 'cli' },
    whileWaiting,
    ...(inputId !== null && { inputId }),
  })
  await startNeededDaemon(context, app, sent.agent)
  if (given.has('wait')) return await tellRest(context, app, sent.agent)
  io.out(json ? jsonLine(sent) : `${becameOf(sent, whileWaiting)}\n${standingOf(sent, placeFlags(given))}`)
  return 0
}

/** @throws RefusedError `invalid_arguments` */
function modeIn(given: Given): WhileWaiting {
  if (given.has('steer') && given.has('interrupt'))
    throw refused(
      'invalid_arguments',
      '--interrupt does all that --steer does, and stops what runs.',
      'Give one of them.',
    )
  if (given.has('interrupt')) return 'interrupt'
  return given.has('steer') ? 'supersede' : 'queue'
}

const BECAME: Record<AgentSent['outcome'], string> = {
  queued: 'The message waits for its turn.',
  answered: 'The agent goes on with the message.',
  superseded: 'The message takes the place of the calls that waited.',
  started: 'The agent was done, and goes on with the message.',
  duplicate: 'The message was taken before.',
}

function becameOf({ outcome }: AgentSent, whileWaiting: WhileWaiting): string {
  if (outcome === 'queued' && whileWaiting === 'interrupt') return 'What runs stops for the message.'
  return BECAME[outcome]
}

function standingOf({ agent }: AgentSent, place: string): string {
  return `${standingText(agent)}${nextText(agent, place)}`
}
