import { refused } from '../errors.ts'

// biome-ignore format: a refusal takes a line, and its hint a second one
export const agentRefusals = {
  invalidAgentName: (name: string) => refused('invalid_arguments', `${JSON.stringify(name)} cannot be the name of an agent. Nothing was started.`,
    'Use 1 to 64 letters, digits, dots, dashes and underscores; begin with a letter or a digit, and not with task_.', { details: { field: 'name' } }),
  overForGood: (name: string, status: string) => refused('ended', `The agent ${name} is ${status} for good, so it takes no message.`,
    'Nothing was said. Start it anew, or fork it from where it stood.', { details: { status } }),
  notAnAgent: (id: string) => refused('not_an_agent', `Task ${id} runs a command, and no agent.`,
    null, { action: { do: 'look_at_task', id }, details: { task_id: id } }),
  nowhere: (name: string) => refused('unknown_checkpoint', `There is no place from which the agent ${name} could be forked.`,
    'Its run is in this store no more, or has not begun.'),
  sayWhat: (name: string, status: string) => refused('no_prompt', `The agent ${name} is ${status}, so a fork of it needs something to do.`,
    'Say what it is to do. Nothing was forked.'),
  isOver: (name: string, status: string) => refused('ended', `The agent ${name} is ${status} already, so there is nothing to end.`,
    null, { details: { status } }),
  isBusy: (name: string, status: string, because: string) => refused('busy', `The agent ${name} is ${status}: ${because}. Nothing was ended.`,
    null, { action: { do: 'end_agent', id: name }, details: { status } }),
  killedInVain: (name: string, status: string) => refused('task_over', `The agent ${name} is ${status} already, so there is nothing to end.`,
    'Look at it to see how it ended.', { details: { status } }),
  onAnotherHost: (name: string, host: string | null, path: string | null, id: string) => refused('on_another_host', `The worktree of ${name} is on the host ${host}, in ${path}.`,
    'Take the agent off the list there, or over a server of that host. Nothing was removed.', { details: { task_id: id, host, path } }),
}
