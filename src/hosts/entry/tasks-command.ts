import type { Command } from '../command/command.ts'
import { JSON_FLAG, RUN_FLAGS, STORE_FLAG } from '../command/flags.ts'

/** As in a resume. */
const SAYING = ['approve', 'reject', 'approve-all', 'reject-all', 'edit', 'answer', 'reason']

export const TASKS_COMMAND: Command = {
  name: 'tasks',
  usage: '[list | show TASK | logs TASK | wait TASK… | cancel TASK | resume TASK [TEXT]]',
  summary: 'supervise commands and sub-agents that run as tasks',
  about: `A task is a process with an id that outlives it: agents start them with run_command_task and subagent_task, MCP clients
through \`holdpoint mcp\`. One that exits with 10 is \`paused\`: somebody is needed. A sub-agent that is paused goes on when
what it waits for is decided, here, with \`holdpoint approve\` or anywhere else, under the same id.

\`wait\` exits as a run does: 10 where one is paused, else 1 where one is not completed or --timeout was over, else 0. With --any
those that are still under way do not count. Whatever becomes of the wait, the tasks go on.
\`logs\` writes stdout to stdout and stderr to stderr, as it was printed; of very long output the beginning and the end are
kept. With --follow and --json it writes a line of JSON for each piece.
\`resume\` with nothing said goes on with what was decided elsewhere, or was interrupted: its process was killed, or lacked a key.
Without -c a decision is for whatever the task waits for now.

Examples:
  holdpoint tasks --status paused                        what waits for somebody?
  holdpoint tasks show task_…                            where it stands, with every pending call in full
  holdpoint tasks logs task_… --follow
  holdpoint tasks wait task_… task_… --timeout 600
  holdpoint tasks resume task_… --approve tc_1           decide, and go on
  holdpoint tasks resume task_… "yes, in eu-west-1"      answer its question
  holdpoint tasks resume task_… -c cp_… --reject tc_1 --reason "not on a Friday"
  holdpoint tasks resume task_…                          go on with what was decided elsewhere, or was interrupted
  holdpoint tasks cancel task_… --reason "no longer needed"`,
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
      help: 'resume: the pause that this is for; refused where the task has moved on',
    },
    STORE_FLAG,
    JSON_FLAG,
  ],
  words: ['list', 'show', 'logs', 'wait', 'cancel', 'resume'],
  load: () => import('../cli/tasks/tasks.ts'),
}
