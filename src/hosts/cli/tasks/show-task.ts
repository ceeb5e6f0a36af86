import { jsonLine } from '../../../core/text/json-line.ts'
import type { AgentSummary } from '../../../runtime/face/agents.ts'
import type { CommandContext } from '../../command/command.ts'
import type { App } from '../../compose/compose.ts'
import { actor } from '../../process/actor.ts'
import { onlyWord, openToLook } from '../open-for-reading.ts'
import { detailsText } from './task-details-text.ts'
import { taskNamed } from './task-named.ts'

export async function showTask(context: CommandContext, words: readonly string[]): Promise<number> {
  const word = onlyWord(words, 'tasks show TASK')
  await using app = await openToLook(context)
  const id = await taskNamed(app.holdpoint, word)
  await tellTask(context, app, id)
  return 0
}

/** `agent`: it is shown as that. */
export async function tellTask(context: CommandContext, app: App, id: string, agent?: AgentSummary): Promise<void> {
  const { io, json, env } = context
  const task = await app.holdpoint.tasks.details(id, { by: actor(env), surface: 'cli' })
  if (json) io.out(jsonLine(task))
  if (json) return
  const path = await pathOf(app, task.run_id ?? task.parent_run_id)
  io.out(detailsText(context, { task, path, agent }))
}

async function pathOf({ holdpoint }: App, runId: string | null): Promise<Parameters<typeof detailsText>[1]['path']> {
  return runId === null ? [] : ((await holdpoint.runPaths([runId])).get(runId) ?? [])
}
