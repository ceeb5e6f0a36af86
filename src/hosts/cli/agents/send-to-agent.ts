import { refused } from '../../../core/errors.ts'
import type { RunWarning } from '../../../core/run/warnings/run-warning.ts'
import { jsonLine, visibleProse } from '../../../core/text/visible-text.ts'
import type { AgentSent, AgentSummary, RemovedAgent } from '../../../runtime/face/agents.ts'
import type { WhileWaiting } from '../../../runtime/threads/send-message.ts'
import type { RunView } from '../../../runtime/views/run-view.ts'
import type { CommandContext } from '../../command/command.ts'
import { placeFlags } from '../../command/flag-values.ts'
import type { Given } from '../../command/flags.ts'
import type { App } from '../../compose/compose.ts'
import { startNeededDaemon } from '../../daemon/needed-daemon.ts'
import { textWarning } from '../../outcome/report-style.ts'
import { actor, signer } from '../../process/actor.ts'
import { exitCodeOf, watchForStop } from '../../process/interruption.ts'
import { readText } from '../../process/read-text.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { removeAgent } from '../../worktree/remove-agent.ts'
import { onlyWord, openForReading } from '../open-for-reading.ts'
import { calledAs, EXIT_OF, nextText, standingText } from './agent-text.ts'

export async function sendToAgent(context: CommandContext, [named, ...words]: readonly string[]): Promise<number> {
  const { given, env, io, json } = context
  if (named === undefined || words.length === 0)
    throw argumentRefusals.usage('agents send AGENT TEXT', '`holdpoint agents` lists them.')
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

/** An agent whose run waits or is over, with its last message. */
export interface RestedAgent extends AgentSummary {
  readonly answer: string
  /** Warnings of the run; absent if there is none. */
  readonly warnings?: readonly RunWarning[]
}

/** `agents wait`: waits until the agent is idle or over, or needs a person. */
export async function waitForAgent(context: CommandContext, words: readonly string[]): Promise<number> {
  const [named, ...others] = words
  if (named === undefined || others.length > 0)
    throw refused('invalid_arguments', 'Usage: holdpoint agents wait AGENT', '`holdpoint agents` lists them.')
  await using app = await openForReading(context)
  return await tellRest(context, app, await app.holdpoint.agents.find(named))
}

const NO_RUN: Pick<RunView, 'answer' | 'warnings'> = { answer: '', warnings: [] }

/**
 * Waits as `agents wait` does, and prints the last message. Resolves to the exit code. The end of the wait ends nothing
 * of the agent.
 */
export async function tellRest(context: CommandContext, app: App, { id }: AgentSummary): Promise<number> {
  const { holdpoint } = app
  const { io, json, env, given } = context
  using stop = watchForStop()
  const asker = signer(env)
  const agent = await holdpoint.agents.wait(id, { signal: stop.signal, asker })
  await startNeededDaemon(context, app, agent)
  const { answer, warnings } = agent.run_id === null ? NO_RUN : await holdpoint.run(agent.run_id)
  const told = warnings.length > 0 ? { answer, warnings } : { answer }
  if (json) io.out(jsonLine({ ...agent, ...told } satisfies RestedAgent))
  else {
    if (answer !== '') io.out(`${visibleProse(answer)}\n`)
    for (const warning of warnings) io.err(textWarning(warning, io))
    io.err(`${standingText(agent)}${nextText(agent, placeFlags(given))}`)
  }
  const stoppedBy = stop.stoppedBy()
  return stoppedBy ? exitCodeOf(stoppedBy) : EXIT_OF[agent.status]
}

/** Ends an agent that waits for a message. @throws RefusedError `busy`, `ended` */
export async function endAgent(context: CommandContext, words: readonly string[]): Promise<number> {
  const { env, io, json } = context
  const named = onlyWord(words, 'agents end AGENT')
  await using app = await openForReading(context)
  const ended = await app.holdpoint.agents.end(named, signer(env))
  io.out(json ? jsonLine(ended) : standingText(ended))
  return 0
}

export async function killAgent(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, env, io, json } = context
  const named = onlyWord(words, 'agents kill AGENT')
  await using app = await openForReading(context)
  const killed = await app.holdpoint.agents.kill(named, { ...signer(env), reason: given.value('reason') })
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
  return await removeAgent(app.holdpoint.agents, named, { ...signer(context.env), discard })
}

function removedText({ agent, worktree_removed }: RemovedAgent, place: string): string {
  const branch = worktree_removed && agent.worktree ? `, with its worktree and the branch ${agent.worktree.branch}` : ''
  return `${calledAs(agent)} is off the list${branch}. Its session stays: \`holdpoint threads show ${agent.session_id}${place}\`.\n`
}
