import type { ApprovalAnswer } from '../../core/hold/approval-answer.ts'

/** One line of a comment that says something of a hold. */
export interface CommentCommand {
  readonly hold_id: string
  readonly verdict: Exclude<ApprovalAnswer['verdict'], 'unclear'> | 'answer'
  /** The reason of a rejection, or the answer; empty if there is none. */
  readonly text: string
}

const COMMAND = /^\/(approve|deny|reject|answer)(?:\s+(hold_\w+))?(?:\s+([\s\S]+))?$/
const VERDICTS: Readonly<Record<string, CommentCommand['verdict']>> = {
  approve: 'approve',
  deny: 'reject',
  reject: 'reject',
  answer: 'answer',
}

/**
 * The commands of a comment; `null` if it has none, and `unclear` if it may have meant some. P1: an approval is never
 * guessed. Each line is a command on a hold of its own, or the
 * whole comment is one with a text behind it.
 */
export function readCommands(body: string): readonly CommentCommand[] | 'unclear' | null {
  const said = body.trim()
  if (!/^\s*\/(approve|deny|reject|answer)\b/m.test(said)) return null
  const lines = said.split('\n').map(line => line.trim())
  const each = lines.filter(line => line !== '').map(readCommand)
  if (each.every(command => command !== null)) return isOnceEach(each) ? each : 'unclear'
  const whole = readCommand(said)
  return whole && whole.verdict !== 'approve' && !hasSecond(said) ? [whole] : 'unclear'
}

/** An approval with more words may be one on conditions. */
function readCommand(text: string): CommentCommand | null {
  const [, name = '', hold_id, more = ''] = COMMAND.exec(text) ?? []
  const verdict = VERDICTS[name]
  if (verdict === undefined || hold_id === undefined) return null
  if (verdict === 'approve' ? more !== '' : verdict === 'answer' && more === '') return null
  return { hold_id, verdict, text: more.trim() }
}

function isOnceEach(commands: readonly CommentCommand[]): boolean {
  return new Set(commands.map(({ hold_id }) => hold_id)).size === commands.length
}

function hasSecond(text: string): boolean {
  return (text.match(/^\s*\/(approve|deny|reject|answer)\b/gm) ?? []).length > 1
}
