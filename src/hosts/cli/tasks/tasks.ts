/** `holdpoint tasks`: the same controls as agents and MCP clients have, for people and pipelines (P8). */
import { RefusedError } from '../../../core/errors.ts'
import type { CommandContext } from '../../command.ts'
import { listTasks } from './list-tasks.ts'

type Verb = (context: CommandContext, words: readonly string[]) => Promise<number>

const VERBS: Readonly<Record<string, () => Promise<Verb>>> = {
  list: async () => listTasks,
  show: async () => (await import('./show-task.ts')).showTask,
  logs: async () => (await import('./task-logs.ts')).taskLogs,
  wait: async () => (await import('./wait-for-tasks.ts')).waitForTasks,
  cancel: async () => (await import('./cancel-task.ts')).cancelTask,
  resume: async () => (await import('./resume-task.ts')).resumeTask,
}

export const TASK_VERBS: readonly string[] = Object.keys(VERBS)

export async function run(context: CommandContext): Promise<number> {
  const [name = 'list', ...words] = context.given.words
  const load = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
  if (load) return (await load())(context, words)
  throw new RefusedError('invalid_arguments', `tasks does not know ${JSON.stringify(name)}.`, {
    hint: `Use one of ${TASK_VERBS.join(', ')}. To send these words to an agent instead, put them after \`--\`.`,
  })
}
