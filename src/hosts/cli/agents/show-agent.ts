import { jsonLine } from '../../../core/text/json-line.ts'
import type { AgentSummary } from '../../../runtime/face/agents.ts'
import type { TaskDetails } from '../../../runtime/face/tasks.ts'
import type { CommandContext } from '../../command/command.ts'
import { actor } from '../../process/actor.ts'
import { onlyWord, openToLook } from '../open-for-reading.ts'
import { tellTask } from '../tasks/show-task.ts'
import { standingText } from './agent-text.ts'

/** An agent with all that is known of its task. */
export interface ShownAgent extends AgentSummary {
  readonly task: TaskDetails
}

export async function showAgent(context: CommandContext, words: readonly string[]): Promise<number> {
  const { io, json, env } = context
  const named = onlyWord(words, 'agents show AGENT')
  await using app = await openToLook(context)
  const agent = await app.holdpoint.agents.find(named)
  if (json) {
    const task = await app.holdpoint.tasks.details(agent.id, { by: actor(env), surface: 'cli' })
    io.out(jsonLine({ ...agent, task } satisfies ShownAgent))
    return 0
  }
  io.out(`${standingText(agent)}\n`)
  await tellTask(context, app, agent.id, agent)
  return 0
}
