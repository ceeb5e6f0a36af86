import { describeDue } from '../../core/deadlines/describe-due.ts'
import type { ErrorDocument } from '../../core/errors.ts'
import { type Hold, usualMessage } from '../../core/hold/hold.ts'
import { approvalsNeeded } from '../../core/hold/may-decide.ts'
import { headline } from '../../core/hold-view/blocks/act-words.ts'
import { blockLines } from '../../core/hold-view/blocks/block-lines.ts'
import { holdBlocks } from '../../core/hold-view/blocks/hold-blocks.ts'
import { possibleVerdicts } from '../../core/hold-view/possible-verdicts.ts'
import { textWidth } from '../../core/text/text-width.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import { cutLine, cutMiddle } from '../display/cut-line.ts'
import { callText } from '../display/run/activity.ts'
import { fitsScreen, type Paint, PLAIN } from '../display/screen.ts'
import { padColumns } from '../display/table.ts'
import type { Io } from '../process/io.ts'
import { offered } from './hold-reply.ts'

interface QuestionDeps {
  /** The name that would sign. */
  readonly person: string
  /** Milliseconds since 1970. */
  readonly now: number
  /** In columns. */
  readonly width: number
  /** Other holds are asked about here too, so the call may be far above. */
  readonly isOneOfMany: boolean
  /** All of the hold is on the screen. */
  readonly isSeen: boolean
}

/** The hold once more in short, and the possible answers. */
export function questionText(hold: Hold, site: QuestionDeps, paint: Paint = PLAIN): string {
  const name = `${visibleLine(hold.call_id ?? hold.id)}  ${paint('bold', visibleLine(headline(hold)))}`
  const refusal = whyNot(hold, site.person)
  const ways = padColumns(offered({ ...hold, laterOnly: refusal?.isAll ?? false }).map(pair => pair.map(visibleLine)))
  const lines = [
    ...blockLines(holdBlocks(hold).filter(({ type }) => type === 'warning' || type === 'remark')).map(
      ({ text }) => text,
    ),
    ...(site.isOneOfMany || !site.isSeen ? shortCall(hold, site) : []),
    ...(site.isSeen ? [] : unseen(hold)),
    ...(hold.due_at === null ? [] : [`due ${describeDue(hold, site.now)}`]),
    ...quorum(hold),
    ...(refusal ? [refusal.error.message] : []),
    ...ways.map(way => way.join('  ').trimEnd()),
  ]
  return `${name}:\n${lines.map(line => `  ${visibleLine(line)}\n`).join('')}`
}

/** Why this person may not let it pass, and whether they may say nothing at all; `null` if they may. */
export function whyNot(hold: Hold, person: string): { readonly error: ErrorDocument; readonly isAll: boolean } | null {
  const verdicts = possibleVerdicts(hold, { name: person }).filter(({ verdict }) => verdict !== 'cancel')
  const error = verdicts.find(({ verdict }) => verdict === 'approve' || verdict === 'respond')?.refusal ?? null
  return error && { error, isAll: verdicts.every(({ refusal }) => refusal !== null) }
}

/** The call in one line; `null` if it is about none. */
function callLine({ call_id, tool, arguments: args }: Hold): string | null {
  if (call_id === null || tool === null || args === null) return null
  return callText({ id: call_id, name: tool, arguments: args })
}

function shortCall(hold: Hold, { width, isSeen }: QuestionDeps): string[] {
  const line = callLine(hold)
  if (line === null) return []
  return isSeen ? [cutLine(line, width - 2), ...(shortPreview(hold, width) ?? [])] : [cutMiddle(line, width - 2)]
}

/** A longer preview is shown above, without the question. */
const LONGEST_PREVIEW = 12

/** The lines of its preview, empty if there is none; `null` if they are too many, or too wide, to say them twice. */
function shortPreview(hold: Hold, width: number): readonly string[] | null {
  const parts = holdBlocks(hold).filter(({ type }) => type === 'part')
  const lines = blockLines(parts).map(({ text }) => `  ${text}`)
  return lines.length <= LONGEST_PREVIEW && lines.every(line => textWidth(line) <= width - 2) ? lines : null
}

/** P9: what scrolled away was not seen. */
function unseen({ id }: Pick<Hold, 'id'>): readonly string[] {
  return ['Not all of it is on this screen. Scroll up, or read it with', `  holdpoint show ${id} | less`]
}

function quorum(hold: Hold): string[] {
  const need = approvalsNeeded(hold)
  return need > 1 ? [`${need} different people must approve; ${hold.votes.length} did so far`] : []
}

/** A line for the answer, and one for the prompt. */
const ANSWER = '\n\n'

/**
 * P9, P10: the holds that a person sees in full while they are asked about them. If the pause and its questions are longer
 * than the screen, that is each call that its own question repeats as a whole.
 */
export function seenInFull(
  holds: readonly Hold[],
  pause: string,
  { io, ...site }: Omit<QuestionDeps, 'width' | 'isSeen'> & { readonly io: Io },
): readonly Hold[] {
  const asked = { ...site, width: io.width(), isSeen: true }
  const questions = holds.map(hold => questionText(hold, asked) + ANSWER)
  if (fitsScreen(`${pause}\n${questions.join('')}`, io)) return holds
  return site.isOneOfMany ? holds.filter(hold => isRepeated(hold, asked)) : []
}

function isRepeated(hold: Hold, { width }: QuestionDeps): boolean {
  const says = callLine(hold)
  const isWhole = isCallAlone(hold) && shortPreview(hold, width) !== null
  return says !== null && isWhole && textWidth(says) <= width - 2
}

function isCallAlone({ message, tool, context, basis }: Hold): boolean {
  return message === usualMessage(tool ?? '') && context === null && basis === undefined
}
