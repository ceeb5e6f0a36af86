import { type Hold, usualMessage } from '../../core/hold/hold.ts'
import { textWidth } from '../../core/text/text-width.ts'
import { fitsScreen } from '../display/fits-screen.ts'
import type { Io } from '../process/io.ts'
import { callLine, type QuestionSite, questionText, shortPreview } from './hold-question.ts'

/** A line for the answer, and one for the prompt. */
const ANSWER = '\n\n'

/**
 * P9, P10: the holds that a person sees in full while they are asked about them. If the pause and its questions are longer
 * than the screen, that is each call that its own question repeats as a whole.
 */
export function seenInFull(
  holds: readonly Hold[],
  pause: string,
  { io, ...site }: Omit<QuestionSite, 'width' | 'isSeen'> & { readonly io: Io },
): readonly Hold[] {
  const asked = { ...site, width: io.width(), isSeen: true }
  const questions = holds.map(hold => questionText(hold, asked) + ANSWER)
  if (fitsScreen(`${pause}\n${questions.join('')}`, io)) return holds
  return site.isOneOfMany ? holds.filter(hold => isRepeated(hold, asked)) : []
}

function isRepeated(hold: Hold, { width }: QuestionSite): boolean {
  const says = callLine(hold)
  const isWhole = isCallAlone(hold) && shortPreview(hold, width) !== null
  return says !== null && isWhole && textWidth(says) <= width - 2
}

function isCallAlone({ message, tool, context, basis }: Hold): boolean {
  return message === usualMessage(tool ?? '') && context === null && basis === undefined
}
