import type { Command } from '../command/command.ts'
import { type Flag, JSON_FLAG, RUN_FLAGS, SERVER_FLAG, STORE_FLAG } from '../command/flags.ts'

/** As in a run. */
const AS_IN_A_RUN = ['agent', 'model', 'tool', 'policy', 'max-steps', 'workdir', 'system-prompt-file', 'prompt-file']

export const AGENTS_COMMAND: Command = {
  name: 'agents',
  group: 'serve',
  usage: '[list] | spawn PROMPT | wait AGENT | send AGENT TEXT | logs AGENT | kill AGENT | …',
  summary: 'run agents in the background, and talk to them',
  text: async () => (await import('../cli/help/texts/agents.ts')).AGENTS,
  flags: [
    { name: 'name', value: 'NAME', help: 'spawn, fork: how to call the agent, beside its id' },
    { name: 'interactive', help: 'spawn: its process stays when its run rests, for the next message' },
    { name: 'idle-timeout', value: 'N', help: 'spawn: seconds that it stays without input or clients; 0: no limit' },
    { name: 'on-idle', value: 'WHAT', help: 'spawn: then `end` the run (default), or `park` it without a process' },
    { name: 'worktree', help: 'spawn: in a git worktree of its own, on a branch of its own' },
    { name: 'timeout', value: 'SECONDS', help: 'spawn: stop it after so many seconds of running' },
    ...RUN_FLAGS.filter(({ name }) => AS_IN_A_RUN.includes(name)).map(asOfSpawn),
    { name: 'status', value: 'STATUS', help: 'list: only these: waiting, idle, running, parked, done, …' },
    {
      name: 'limit',
      value: 'N',
      help: 'list: at most so many (default: all that are not over, and 50 of those that are)',
    },
    { name: 'after', value: 'AGENT', help: 'list: the next page: those behind this one' },
    { name: 'wait', help: 'spawn, send: as `wait` does behind it' },
    { name: 'steer', help: 'send: in place of the calls that wait for people' },
    { name: 'interrupt', help: 'send: also in place of what runs, which is told to stop' },
    { name: 'input-id', value: 'ID', help: 'send: a message that is sent twice with one id is one' },
    { name: 'follow', help: 'logs: go on until the agent is over' },
    { name: 'since', value: 'SEQ', help: 'logs, attach: only what is behind this event' },
    { name: 'read-only', help: 'attach: only look' },
    { name: 'end-on-eof', help: 'attach: lines of stdin are messages, and at their end the agent ends after its turn' },
    { name: 'plain', help: 'attach: lines alone, for screen readers and terminals that cannot draw' },
    { name: 'reason', value: 'TEXT', help: 'kill: recorded' },
    { name: 'no-daemon', help: 'spawn, send, …: do not start the daemon if the agent has to wait for its turn' },
    { name: 'discard', help: 'rm: also what is not committed or not merged in its worktree' },
    STORE_FLAG,
    SERVER_FLAG,
    JSON_FLAG,
  ],
  words: ['list', 'spawn', 'show', 'wait', 'send', 'attach', 'logs', 'end', 'kill', 'respawn', 'resume', 'fork', 'rm'],
  load: () => import('../cli/agents/agents.ts'),
}

function asOfSpawn(flag: Flag): Flag {
  return { ...flag, help: `spawn: ${flag.help}` }
}
