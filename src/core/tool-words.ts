import { type ActionWords, PLAIN_WORDS } from './next-action.ts'

/** The next step in the tools' own names, for agents and for clients of MCP: they have no command line. */
export const TOOL_WORDS: ActionWords = {
  ...PLAIN_WORDS,
  find_hold: () => 'list_holds lists what waits.',
  find_run: () => 'get_all_tasks lists the tasks with their runs.',
  find_session: () => 'get_all_tasks lists the tasks with their sessions.',
  find_checkpoint: () => 'get_all_tasks lists the tasks with their newest checkpoints.',
  find_newest_checkpoint: () => 'Name its newest checkpoint, which get_task_details tells.',
  find_task: () => 'get_all_tasks lists them.',
  look_at_runs: () => 'See with get_task_details how it went on.',
  look_at_task: id => `get_task_details of ${id} tells where it stands.`,
  wait_for_run: () => 'wait_for_tasks waits until it is through.',
  end_agent: id => `cancel_task ends ${id}.`,
  resume_agent: id => `resume_task goes on with ${id}, and cancel_task gives it up.`,
  resume: () => 'wait_for_tasks goes on with it.',
  fire_due: () => 'wait_for_tasks carries out what was to happen then.',
  name_workdir: () => 'Make it, or name another as workdir.',
  name_model: () => 'Give model as provider/model, for example anthropic/claude-sonnet-4-5.',
  decide_calls: calls => `Decide them with tool_decisions: ${calls}.`,
  answer_text: () => 'Answer with prompt.',
}
