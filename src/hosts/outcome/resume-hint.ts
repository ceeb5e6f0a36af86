import type { HoldpointError } from '../../core/errors.ts'
import { isOverride } from '../../core/hold/hold.ts'
import type { ActionWords } from '../../core/next-action.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import type { PauseReason, PendingCall } from '../../runtime/views/pause-reason.ts'
import { shellWord } from '../process/shell-word.ts'

/**
 * A command that goes on from a pause, to be pasted into a shell. It approves calls that need approval, and leaves room
 * for answers that only its reader knows. Calls in doubt it calls failed: to run one again must be the approver's own
 * idea. So must be the override of a policy that says never, and of a refusal that the model does not take: such calls it
 * rejects.
 */
export function resumeHint(at: {
  readonly checkpoint: string
  readonly pause: PauseReason
  readonly store: string | null
  /** The command that a checkpoint and decisions are given to. */
  readonly command?: string
}): string {
  const { pending_tool_calls, questions, type } = at.pause
  const words = [at.command ?? 'holdpoint', '-c', shellWord(at.checkpoint)]
  if (at.store !== null) words.push('--store', shellWord(at.store))
  for (const call of pending_tool_calls) {
    if (call.requires_approval) words.push(...decisionOn(call))
  }
  for (const asked of questions) words.push(...flag('--answer', `${answerName(asked)}=your answer`))
  if (type === 'input_required') words.push(shellWord('yes, proceed'))
  return words.join(' ')
}

function decisionOn(call: PendingCall): string[] {
  if (call.client_tool) return flag('--answer', `${answerName(call)}=its result`)
  return flag(call.in_doubt || isOverride(call) ? '--reject' : '--approve', safeName(call))
}

/** Models choose call ids. An id that a terminal would obey or hide is not put into a command to paste. */
function safeName({ id, hold_id }: { readonly id: string; readonly hold_id: string | null }): string {
  return visibleLine(id) === id ? id : (hold_id ?? id)
}

/** `ID=TEXT` is read up to its first `=`. */
function answerName(asked: { readonly id: string; readonly hold_id: string | null }): string {
  return asked.id.includes('=') ? (asked.hold_id ?? asked.id) : safeName(asked)
}

/** A value that begins with a dash would read as a flag of its own. */
function flag(name: string, value: string): string[] {
  return value.startsWith('-') ? [`${name}=${shellWord(value)}`] : [name, shellWord(value)]
}

/** The next step, as a command that can be pasted into a shell. */
export const COMMAND_WORDS: ActionWords = {
  find_hold: () => '`holdpoint holds` lists what waits here; --store names another store.',
  find_run: () => '`holdpoint runs` lists them; --store names another store.',
  find_session: () => '`holdpoint runs` lists the runs with their sessions; --store names another store.',
  find_checkpoint: () =>
    '`holdpoint runs` lists the runs of this store with their checkpoints; --store names another store.',
  find_newest_checkpoint: () => 'Name its newest checkpoint (`holdpoint runs` shows it), or add --fork to branch off.',
  find_task: () => '`holdpoint tasks` lists them; --store names another store.',
  find_agent: () => '`holdpoint agents` lists them, with ids and names; --store names another store.',
  find_grant: () => '`holdpoint grants` lists them; --store names another store.',
  find_token: () => '`holdpoint tokens` lists them; --store names another store.',
  look_at_hold: id => `See how it went with \`holdpoint show ${id}\`.`,
  look_at_runs: () => 'See how it went on with `holdpoint runs`.',
  look_at_task: id => `Go on with it: \`holdpoint tasks show ${id}\`.`,
  wait_for_run: () => 'Wait until it is through; `holdpoint runs` shows where it stands.',
  resume_task: id => `\`holdpoint tasks resume ${id}\` goes on with it.`,
  end_agent: id =>
    `\`holdpoint agents end ${id}\` ends it once it waits for a message, \`holdpoint agents kill ${id}\` at once.`,
  resume_agent: id =>
    `\`holdpoint agents resume ${id}\` goes on from where it stopped, \`holdpoint agents kill ${id}\` gives it up.`,
  resume: id => `The run can simply go on: \`holdpoint -c ${id}\`; with --fork a text is said to a new thread.`,
  resume_or_fork: id => `Go on with \`holdpoint -c ${id}\`, or branch off with --fork.`,
  export: id => `Export that one: \`holdpoint checkpoint export ${id} --out FILE\`.`,
  take_back: id =>
    `Go on where the bundle was imported; or take it back by importing it here: \`holdpoint checkpoint export ${id} --out FILE\` writes it once more, then \`holdpoint -c FILE\`.`,
  fire_due: () => '`holdpoint work --once` carries out what was to happen then.',
  name_workdir: () => 'Make it, or name another with --workdir.',
  restore_workdir: id =>
    id === '' ? 'Make it again.' : `Make it again, or go on elsewhere: \`holdpoint -c ${id} --workdir DIR\`.`,
  name_model: () =>
    'Add --model provider/model (or set HOLDPOINT_MODEL), for example --model anthropic/claude-sonnet-4-5. Without a key, `holdpoint init` writes an agent that plays a script.',
  decide_calls: calls => `Decide them with --approve, --reject, --edit or --answer: ${calls}.`,
  answer_text: () => 'Answer with a text (`-c ID "…"`), or accept the answer with --finish.',
  check_policy: () => '`holdpoint policy check "COMMAND"` tells what policy says.',
}

/** The hint of an error for people at a shell. */
export function commandHint(error: HoldpointError): string | null {
  return error.hintIn(COMMAND_WORDS)
}
