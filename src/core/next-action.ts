/** The next actions, by name: each host has its own words for its users, and everyone else gets these. */
export const PLAIN_WORDS = {
  find_hold: () => 'List the open holds to find it.',
  find_run: () => 'List the runs to find it.',
  find_session: () => 'List the runs to find the session of one.',
  find_checkpoint: () => 'List the runs to find the newest checkpoint of each.',
  find_newest_checkpoint: () => 'Name its newest checkpoint, which its run tells.',
  find_task: () => 'List the tasks to find it.',
  find_agent: () => 'List the agents to find it: each has an id, and a name if it was given one.',
  find_grant: () => 'List the grants to find it.',
  find_token: () => 'List the tokens to find it.',
  look_at_hold: id => `Look at ${id} to see how it went.`,
  look_at_runs: () => 'Look at the run to see how it went on.',
  look_at_task: id => `Look at task ${id}, and go on with it.`,
  wait_for_run: () => 'Wait until it is through; its run tells where it stands.',
  resume_task: id => `Task ${id} can go on without an answer.`,
  end_agent: () => 'End it once it waits for a message, or kill it.',
  resume_agent: () => 'It can go on from where it stopped: resume it. Or kill it first.',
  resume: () => 'The run can simply go on: advance it.',
  resume_or_fork: id => `Go on from ${id}, or fork the thread there.`,
  export: id => `Export ${id}.`,
  take_back: () => 'Go on where the bundle was imported; or take it back: export it once more and import that here.',
  fire_due: () => 'A worker carries out what was to happen then.',
  check_policy: () => 'Ask a person what the policy allows.',
  name_workdir: () => 'Make it, or name another one.',
  restore_workdir: () => 'Make it again.',
  name_model: () => 'Name one as provider/model, for example anthropic/claude-sonnet-4-5 or script:demo.yaml.',
  decide_calls: calls => `Decide each of them: ${calls}.`,
  answer_text: () => 'Answer with a text, or accept the answer as final.',
} satisfies Record<string, (id: string) => string>

export type ActionName = keyof typeof PLAIN_WORDS

/** What can be done about an error. Each host has its own words for it. */
export interface NextAction {
  readonly do: ActionName
  /** The id of the hold, task, agent or checkpoint, or of the calls. */
  readonly id?: string | null
}

/** A sentence for each action. */
export type ActionWords = Readonly<Record<ActionName, (id: string) => string>>

export function actionText(action: NextAction, words: ActionWords): string {
  return words[action.do](action.id ?? '')
}
