/** `holdpoint tasks`: the same controls as agents and MCP clients have, for people and pipelines (P8). */
import { RefusedError } from '../../../core/errors.ts'
import type { CommandContext } from '../../command/command.ts'
import { listTasks } from './list-tasks.ts'

interface Verb {
  /** Those of its flags that the other verbs do not take. */
  readonly flags: readonly string[]
  readonly load: () => Promise<(context: CommandContext, words: readonly string[]) => Promise<number>>
}

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
  const [name = 'list', ...words] = context.given.words
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
  if (!verb) throw unknownVerb(name)
  refuseForeignFlags(context, name, verb)
  return (await verb.load())(context, words)
}

/** A decision flag that this command ignores must not look as if it counted. */
function refuseForeignFlags({ given, commands }: CommandContext, name: string, { flags }: Verb): void {
  const known = [...flags, ...EVERYWHERE]
  const all = commands.find(command => command.name === 'tasks')?.flags ?? []
  const foreign = all.find(flag => given.has(flag.name) && !known.includes(flag.name))
  if (!foreign) return
  throw new RefusedError('invalid_arguments', `tasks ${name} takes no --${foreign.name}. Nothing was done.`, {
    hint: `It takes ${known.map(flag => `--${flag}`).join(', ')}. See \`holdpoint tasks --help\`.`,
  })
}

function unknownVerb(name: string): RefusedError {
  return new RefusedError('invalid_arguments', `tasks does not know ${JSON.stringify(name)}.`, {
    hint: `Use one of ${Object.keys(VERBS).join(', ')}. To send these words to an agent instead, put them after \`--\`.`,
  })
}
