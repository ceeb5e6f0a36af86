/** `holdpoint agents`: agents in the background. */
import type { CommandContext } from '../../command/command.ts'
import { runVerb, type Verb } from '../../command/verbs.ts'

const OF_A_RUN = ['agent', 'model', 'tool', 'policy', 'max-steps', 'workdir', 'system-prompt-file', 'prompt-file']
const EVERYWHERE: readonly string[] = ['store', 'json']

const VERBS: Readonly<Record<string, Verb>> = {
  list: {
    flags: ['server', 'status', 'limit', 'after'],
    load: async () => (await import('./list-agents.ts')).listAgents,
  },
  spawn: {
    flags: [
      'server',
      'no-daemon',
      'name',
      'interactive',
      'idle-timeout',
      'on-idle',
      'worktree',
      'timeout',
      'wait',
      ...OF_A_RUN,
    ],
    load: async () => (await import('./spawn-agent.ts')).spawnAgent,
  },
  show: { flags: ['server'], load: async () => (await import('./show-agent.ts')).showAgent },
  send: {
    flags: ['server', 'no-daemon', 'wait', 'steer', 'interrupt', 'input-id'],
    load: async () => (await import('./send-to-agent.ts')).sendToAgent,
  },
  wait: { flags: ['server', 'no-daemon'], load: async () => (await import('./tell-rest.ts')).waitForAgent },
  attach: {
    flags: ['server', 'since', 'read-only', 'end-on-eof', 'plain'],
    load: async () => (await import('./attach/attach-to-agent.ts')).attachToAgent,
  },
  logs: { flags: ['server', 'follow', 'since'], load: async () => (await import('./agent-logs.ts')).agentLogs },
  end: { flags: ['server'], load: async () => (await import('./end-agent.ts')).endAgent },
  kill: { flags: ['server', 'reason'], load: async () => (await import('./end-agent.ts')).killAgent },
  respawn: { flags: ['server', 'no-daemon'], load: async () => (await import('./start-again.ts')).respawnAgent },
  resume: { flags: ['server', 'no-daemon'], load: async () => (await import('./start-again.ts')).resumeAgent },
  fork: { flags: ['server', 'no-daemon', 'name'], load: async () => (await import('./start-again.ts')).forkAgent },
  rm: { flags: ['server', 'discard'], load: async () => (await import('./end-agent.ts')).takeAgentOff },
}

export async function run(context: CommandContext): Promise<number> {
  return runVerb(context, { command: 'agents', verbs: VERBS, everywhere: EVERYWHERE })
}
