/** `holdpoint tasks`: the same controls as agents and MCP clients have, for people and pipelines (P8). */
import type { CommandContext } from '../../command/command.ts'
import { runVerb, type Verb } from '../../command/verbs.ts'
import { listTasks } from './list-tasks.ts'

const DECISIONS = ['approve', 'reject', 'approve-all', 'reject-all', 'edit', 'answer', 'digest']
const EVERYWHERE: readonly string[] = ['store', 'server', 'json']

const VERBS: Readonly<Record<string, Verb>> = {
  list: { flags: ['status', 'limit', 'after'], load: async () => listTasks },
  show: { flags: [], load: async () => (await import('./show-task.ts')).showTask },
  logs: { flags: ['follow', 'invocation'], load: async () => (await import('./task-logs.ts')).taskLogs },
  wait: { flags: ['any', 'timeout'], load: async () => (await import('./wait-for-tasks.ts')).waitForTasks },
  cancel: { flags: ['reason'], load: async () => (await import('./cancel-task.ts')).cancelTask },
  resume: {
    flags: [...DECISIONS, 'reason', 'checkpoint'],
    load: async () => (await import('./resume-task.ts')).resumeTask,
  },
}

export async function run(context: CommandContext): Promise<number> {
  return runVerb(context, { command: 'tasks', verbs: VERBS, everywhere: EVERYWHERE })
}
