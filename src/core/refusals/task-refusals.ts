import { refused } from '../errors.ts'

// biome-ignore format: a refusal takes a line, and its hint a second one
export const taskRefusals = {
  unknownTask: (id: string) => refused('unknown_task', `There is no task ${JSON.stringify(id)} in this store.`,
    null, { action: { do: 'find_task' }, details: { task_id: id } }),
  /** Refuses a number of no invocation: the task had `had` of them, from 1. */
  unknownInvocation: (taskId: string, had: number, n: number | null) => refused('unknown_invocation', `Task ${taskId} has invocations 1 to ${had}, and no ${n}.`,
    'Leave it out for the newest one.', { details: { task_id: taskId, newest: had } }),
  movedOn: (named: string, checkpointId: string | null) => refused('superseded', `The task has moved on from the pause ${named}, so nothing was decided.`,
    'Look at the details of what it waits for now, and decide that.', { details: { checkpoint_id: checkpointId } }),
  tooDeep: (deepest: number) => refused('too_deep', `Agents start others at most ${deepest} levels deep, and this is level ${deepest}. Nothing was started.`,
    'Do it yourself, or have an agent further up start it.'),
  notInFile: (agent: string) => refused('agent_not_in_file', `The agent ${agent} is known only to the program that defined it, so no process of its own can run it. Nothing was started.`,
    'Define it in a file, and run it from that file.'),
  noCommands: () => refused('tools_beyond_parent', 'Whoever starts this may run no commands. Nothing was started.',
    'It has neither run_command nor run_command_task.'),
  forbidden: (rule: string) => refused('forbidden', `Policy says never to this command (${rule}). Nothing was started.`,
    null, { action: { do: 'check_policy' } }),
  needsPerson: (why: string) => refused('needs_person', `Only a person may let this command run: ${why}. Nothing was started.`,
    'Have an agent run it with subagent_task: then a person is asked.'),
  commandOrArgv: () => refused('invalid_arguments', 'Exactly one of command and argv says what to run.',
    'command is read by a shell, argv by nobody. Nothing was started.'),
  notYourTask: (taskId: string, wish: string) => refused('not_your_task', `Task ${taskId} was not started by you, so you cannot ${wish}.`,
    'Ask a person to do it.'),
  nameTaken: (name: string, task: string) => refused('name_taken', `Another agent is called ${name}: ${task}. Nothing was started.`,
    'Choose another name, or end that agent first.', { details: { task_id: task } }),
  emptyAnswer: () => refused('empty_answer', 'The prompt is empty.', 'Give the answer as text.'),
  nothingSaid: () => refused('nothing_said', 'tool_decisions is empty.', 'Decide at least one of the calls that wait.'),
  argumentsOfRejected: (id: string) => refused('invalid_arguments', `${id} is rejected, yet arguments were given for it.`, 'Leave one of them out.'),
  twice: (id: string) => refused('decided_both_ways', `${id} was decided in two ways at once.`, 'Decide each call once.'),
  illegal: (why: string) => refused('illegal_task_move', `A task was to change in a way that it cannot: ${why}.`,
    'Nothing was changed. This is a fault of the program that asked for it.'),
  taskExists: (what: string, taken: string) => refused('task_exists', `There is a task${what} already: ${taken}.`,
    'Nothing was changed.', { action: { do: 'look_at_task', id: taken }, details: { task_id: taken } }),
  /** The wish is on record, but the supervisor has not carried it out so far. */
  notCancelledYet: (task: string, supervisor: string, invocationSupervisor: string | null) => refused('not_cancelled_yet', `Task ${task} is to be cancelled, but ${supervisor} watches over it and has not stopped it so far.`,
    'It is cancelled as soon as its supervisor reads that. If it ran in a container or on a machine that is gone, nothing will.', { details: { task_id: task, supervisor: invocationSupervisor } }),
  /** The wish is on record, and only the host of the task carries it out. */
  notCancelledThere: (id: string, host: string | null, supervisor: string | null) => refused('not_cancelled_yet', `Task ${id} is to be cancelled, but its host ${host} has not stopped it so far.`,
    'It is cancelled as soon as its supervisor, or the daemon of that host, reads that. If the host is gone for good, nothing will.', { details: { task_id: id, supervisor, host } }),
  invalidCommand: (problem: string) => refused('invalid_command', `The command of the task cannot be run: ${problem}.`,
    'Give it as a list: the program, then each of its arguments. Write what is long to a file, and name that.'),
}
