import type { Command } from '../command/command.ts'
import { JSON_FLAG, RUN_FLAGS, SERVER_FLAG, STORE_FLAG } from '../command/flags.ts'

/** As in a resume. */
const SAYING = ['approve', 'reject', 'approve-all', 'reject-all', 'edit', 'answer', 'digest', 'reason']

export const TASKS_COMMAND: Command = {
  name: 'tasks',
  group: 'serve',
  usage: '[list] | show TASK | logs TASK | wait TASK… | cancel TASK | resume TASK [TEXT]',
  summary: 'supervise commands and agents that run as tasks',
  text: async () => (await import('../cli/help/texts/serving.ts')).TASKS,
  flags: [
    { name: 'status', value: 'STATUS', help: 'list: only these: pending, running, paused, completed, failed, …' },
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
