import { isOverride } from '../../core/hold/hold.ts'
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
