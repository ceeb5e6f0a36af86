import { AGENT_STATUSES } from '../../core/fleet/agent-status.ts'
import { ON_IDLE } from '../../core/settings/interactive-settings.ts'
import { TASK_STATUSES } from '../../core/task/task.ts'
import type { Command } from '../command/command.ts'
import { choiceFlag } from '../command/flag-words.ts'
import { type Flag, JSON_FLAG, RUN_FLAGS, SERVER_FLAG, STORE_FLAG } from '../command/flags.ts'

/** As in a resume. */
const SAYING = ['approve', 'reject', 'approve-all', 'reject-all', 'edit', 'answer', 'digest', 'reason']

export const TASKS_COMMAND: Command = {
  name: 'tasks',
  group: 'serve',
  usage: '[list] | show TASK | logs TASK | wait TASK… | cancel TASK | resume TASK [TEXT]',
  summary: 'supervise commands and agents that run as tasks',
  text: async () => (await import('../cli/help/texts/serving.ts')).TASKS,
  flags: [
    choiceFlag('status', TASK_STATUSES, 'list: only these: pending, running, paused, completed, failed, …'),
    { name: 'limit', value: 'N', help: 'list: at most so many (default 50)' },
    { name: 'after', value: 'TASK', help: 'list: the next page: those behind this task' },
    { name: 'follow', help: 'logs: until the task rests' },
    { name: 'invocation', value: 'N', help: 'logs: of this invocation (default: the newest)' },
    { name: 'any', help: 'wait: until one of them rests (default: until each does)' },
    { name: 'timeout', value: 'SECONDS', help: 'wait: at most so long; the tasks go on' },
    ...RUN_FLAGS.filter(({ name }) => SAYING.includes(name)).map(flag => ({
      ...flag,
      help: `${flag.name === 'reason' ? 'resume, cancel' : 'resume'}: ${flag.help}`,
    })),
    {
      name: 'checkpoint',
      short: 'c',
      value: 'ID',
      help: 'resume: the pause that this is for; refused if the task has moved on',
    },
    STORE_FLAG,
    SERVER_FLAG,
    JSON_FLAG,
  ],
  words: ['list', 'show', 'logs', 'wait', 'cancel', 'resume'],
  load: () => import('../cli/tasks/tasks.ts'),
}

/** As in a run. */
const AS_IN_A_RUN = [
  'agent',
  'model',
  'tool',
  'policy',
  'max-steps',
  'budget',
  'workdir',
  'system-prompt-file',
  'prompt-file',
]

export const AGENTS_COMMAND: Command = {
  name: 'agents',
  group: 'serve',
  usage: '[list] | spawn PROMPT | wait AGENT | send AGENT TEXT | logs AGENT | kill AGENT | …',
  summary: 'run agents in the background, and talk to them',
  text: async () => (await import('../cli/help/texts/looking.ts')).AGENTS,
  flags: [
    { name: 'name', value: 'NAME', help: 'spawn, fork: how to call the agent, beside its id' },
    { name: 'interactive', help: 'spawn: its process stays when its run rests, for the next message' },
    { name: 'idle-timeout', value: 'N', help: 'spawn: seconds that it stays without input or clients; 0: no limit' },
    {
      name: 'on-idle',
      value: 'WHAT',
      words: ON_IDLE,
      help: 'spawn: then `end` the run (default), or `park` it without a process',
    },
    { name: 'worktree', help: 'spawn: in a git worktree of its own, on a branch of its own' },
    { name: 'timeout', value: 'SECONDS', help: 'spawn: stop it after so many seconds of running' },
    ...RUN_FLAGS.filter(({ name }) => AS_IN_A_RUN.includes(name)).map(asOfSpawn),
    choiceFlag('status', AGENT_STATUSES, 'list: only these: waiting, idle, running, parked, done, …'),
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
