/** `holdpoint agents`: agents in the background. */
import { RefusedError } from '../../../core/errors.ts'
import type { CommandContext } from '../../command/command.ts'

interface Verb {
  /** Those of its flags that the other verbs do not take. */
  readonly flags: readonly string[]
  readonly load: () => Promise<(context: CommandContext, words: readonly string[]) => Promise<number>>
}

const OF_A_RUN = ['agent', 'model', 'tool', 'policy', 'max-steps', 'workdir', 'system-prompt-file', 'prompt-file']
const EVERYWHERE: readonly string[] = ['store', 'json']

const VERBS: Readonly<Record<string, Verb>> = {
  list: { flags: ['status', 'limit', 'after'], load: async () => (await import('./list-agents.ts')).listAgents },
  spawn: {
    flags: ['name', 'interactive', 'idle-timeout', 'on-idle', 'worktree', 'timeout', 'wait', ...OF_A_RUN],
    load: async () => (await import('./spawn-agent.ts')).spawnAgent,
  },
  show: { flags: [], load: async () => (await import('./show-agent.ts')).showAgent },
  send: { flags: ['wait', 'now', 'input-id'], load: async () => (await import('./send-to-agent.ts')).sendToAgent },
  attach: {
    flags: ['since', 'read-only', 'end-on-eof'],
    load: async () => (await import('./attach/attach-to-agent.ts')).attachToAgent,
  },
  logs: { flags: ['follow', 'since'], load: async () => (await import('./agent-logs.ts')).agentLogs },
  kill: { flags: ['reason'], load: async () => (await import('./end-agent.ts')).killAgent },
  respawn: { flags: [], load: async () => (await import('./start-again.ts')).respawnAgent },
  resume: { flags: [], load: async () => (await import('./start-again.ts')).resumeAgent },
  fork: { flags: ['name'], load: async () => (await import('./start-again.ts')).forkAgent },
  rm: { flags: ['discard'], load: async () => (await import('./end-agent.ts')).removeAgent },
}

export async function run(context: CommandContext): Promise<number> {
  const [name = 'list', ...words] = context.given.words
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
  if (!verb) throw unknownVerb(name)
  refuseForeignFlags(context, name, verb)
  return (await verb.load())(context, words)
}

/** A flag that this verb ignores must not look as if it counted. */
function refuseForeignFlags({ given, commands }: CommandContext, name: string, { flags }: Verb): void {
  const known = [...flags, ...EVERYWHERE]
  const all = commands.find(command => command.name === 'agents')?.flags ?? []
  const foreign = all.find(flag => given.has(flag.name) && !known.includes(flag.name))
  if (!foreign) return
  throw new RefusedError('invalid_arguments', `agents ${name} takes no --${foreign.name}. Nothing was done.`, {
    hint: `It takes ${known.map(flag => `--${flag}`).join(', ')}. See \`holdpoint agents --help\`.`,
  })
}

function unknownVerb(name: string): RefusedError {
  return new RefusedError('invalid_arguments', `agents does not know ${JSON.stringify(name)}.`, {
    hint: `Use one of ${Object.keys(VERBS).join(', ')}. To send these words to an agent instead, put them after \`--\`.`,
  })
}
