import { refused } from '../../core/errors.ts'

// biome-ignore format: a refusal takes a line, and its hint a second one
export const decidingRefusals = {
  inDoubt: (name: string, id: string) => refused('outcome_unknown', `Nobody knows whether ${JSON.stringify(name)} happened. That is another question than before, so it is decided by the id of its hold.`,
    `Look whether it happened, then say \`holdpoint answer ${id} --value JSON\` (it did), \`holdpoint approve ${id}\` (run it again) or \`holdpoint reject ${id}\` (it failed).`, { details: { hold_id: id } }),
  nothingToApprove: (what: string) => refused('nothing_to_decide', `${what} in this store.`, null, { action: { do: 'find_hold' } }),
  approveWhat: (count: number, holds: readonly string[]) => refused('invalid_arguments', 'It is not said what to approve: holdpoint approve HOLD…',
    `${count === 1 ? 'One waits' : `${count} wait`}: ${holds.join(', ')}. Look at it with \`holdpoint show HOLD\` first.`, { details: { holds } }),
  severalRuns: (runs: readonly string[]) => refused('several_runs', `These holds belong to ${runs.length} runs, and --advance goes on with one.`,
    'Decide without --advance and leave the runs to a worker, or decide those of each run by themselves. Nothing was recorded.', { details: { runs } }),
  unchangedEdit: (id: string) => refused('unchanged', `The arguments of ${id} stay as they were, so nothing was recorded.`,
    `To let the call run as it is, use \`holdpoint approve ${id}\`.`),
  runDone: (id: string, end: string) => refused('run_done', `Run ${id} is finished already (${end}), so there is nothing to cancel.`,
    `See how it ended with \`holdpoint show ${id}\`.`),
  emptyAnswer: (hint = 'Give the answer as text.') => refused('empty_answer', 'The answer is empty.', hint),
  decisionsWithText: () => refused('decisions_with_text', 'Decisions and a text were given together.', 'Give one of them.'),
  nothingSaid: () => refused('nothing_said', '--checkpoint names the pause that a decision is for, and none was given.',
    'Add --approve, --reject, --edit, --answer or a text; leave --checkpoint out to go on with what was decided.'),
  unknownPage: (after: string) => refused('unknown_hold', `There is no hold ${JSON.stringify(after)} to go on behind.`,
    '--after takes the last hold of the page before.'),
  watchesOpenOnes: () => refused('invalid_arguments', '--watch shows what is open, from the first one on.',
    'Leave out --after and --status, or list the holds without --watch.'),
  nameOne: (names: string) => refused('nothing_to_decide', names === '' ? 'nothing waits for a decision' : `name one hold: ${names}`),
  grantNotNamed: () => refused('invalid_arguments', 'The grant has no name.', 'Write /always NAME, as people will know it.'),
  severalWait: (count: number, names: string) => refused('invalid_arguments', `${count} wait, so it is not clear which one is meant.`, `Name it: ${names}.`),
  approvedAlone: (names: string) => refused('nothing_to_decide', 'None of what waits can be approved along with others.', `Name each one: ${names}.`),
  nothingWaits: () => refused('nothing_to_decide', 'Nothing waits in this session.', '`/holds` lists what waits elsewhere.'),
}
