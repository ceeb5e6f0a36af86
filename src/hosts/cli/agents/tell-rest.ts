import { refused } from '../../../core/errors.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import { visibleProse } from '../../../core/text/visible-text.ts'
import type { AgentSummary } from '../../../runtime/face/agents.ts'
import type { CommandContext } from '../../command/command.ts'
import { placeFlags } from '../../command/place-flags.ts'
import type { App } from '../../compose/compose.ts'
import { startNeededDaemon } from '../../daemon/needed-daemon.ts'
import { actor } from '../../process/actor.ts'
import { exitCodeOf, watchForStop } from '../../process/interruption.ts'
import { openForReading } from '../open-for-reading.ts'
import { EXIT_OF, nextText, standingText } from './agent-text.ts'

/** An agent at rest, with what it said last. */
export interface RestedAgent extends AgentSummary {
  readonly answer: string
}

/** `agents wait`: until the agent rests. */
export async function waitForAgent(context: CommandContext, words: readonly string[]): Promise<number> {
  const [named, ...others] = words
  if (named === undefined || others.length > 0)
    throw refused('invalid_arguments', 'Usage: holdpoint agents wait AGENT', '`holdpoint agents` lists them.')
  await using app = await openForReading(context)
  return await tellRest(context, app, await app.holdpoint.agents.find(named))
}

/** Waits until the agent rests, and tells what it said. Resolves to the exit code. The agent goes on, however the wait ends. */
export async function tellRest(context: CommandContext, app: App, { id }: AgentSummary): Promise<number> {
  const { holdpoint } = app
  const { io, json, env, given } = context
  using stop = watchForStop()
  const asker = { by: actor(env), surface: 'cli' }
  const agent = await holdpoint.agents.wait(id, { signal: stop.signal, asker })
  await startNeededDaemon(context, app, agent)
  const answer = agent.run_id === null ? '' : (await holdpoint.run(agent.run_id)).answer
  if (json) io.out(jsonLine({ ...agent, answer } satisfies RestedAgent))
  else {
    if (answer !== '') io.out(`${visibleProse(answer)}\n`)
    io.err(`${standingText(agent)}${nextText(agent, placeFlags(given))}`)
  }
  const stoppedBy = stop.stoppedBy()
  return stoppedBy ? exitCodeOf(stoppedBy) : EXIT_OF[agent.status]
}
