import type { AnswerPart } from '../../message/part.ts'
import type { Termination } from '../termination.ts'

/** Why an answer of a model is no end of the work. A paused one goes on; of the others no call runs. */
export type Unfinished = 'pause_turn' | Discarded

/** Why nothing of an answer counts. */
export type Discarded = 'length' | 'content_filter' | 'empty_answer'

/** `done`: nothing more follows, even if the answer is empty. */
type Meaning = Unfinished | 'done'

/**
 * The meaning of finish reasons; any other one ends a whole answer. Models of a library's user may use the words of
 * their provider.
 */
const MEANING: Readonly<Record<string, Meaning>> = {
  done: 'done',
  length: 'length',
  max_tokens: 'length',
  content_filter: 'content_filter',
  refusal: 'content_filter',
  pause_turn: 'pause_turn',
}

interface Answered {
  readonly text: string
  readonly calls: readonly unknown[]
  readonly parts?: readonly AnswerPart[]
  readonly finish_reason: string
}

/** What becomes of an answer, before any plugin changes it; `null` if it counts as it is. */
export function unfinishedIn({ text, calls, parts = [], finish_reason }: Answered): Unfinished | null {
  const meaning = meaningOf(finish_reason)
  if (meaning === 'length' || meaning === 'content_filter') return meaning
  if (calls.length > 0 || meaning === 'done') return null
  if (meaning === 'pause_turn') return meaning
  const hasFile = parts.some(({ type }) => type === 'image' || type === 'file')
  return text.trim() === '' && !hasFile ? 'empty_answer' : null
}

function meaningOf(finishReason: string): Meaning | null {
  const reason = finishReason.toLowerCase().replaceAll('-', '_')
  return (Object.hasOwn(MEANING, reason) && MEANING[reason]) || null
}

interface Words {
  /** Why the run ends, if the next answer is no better. */
  readonly detail: string
  /** What the model is told. */
  readonly told: string
}

const WORDS: Readonly<Record<Discarded, Words>> = {
  length: {
    detail: "the answer reached the model's limit of output tokens, so its end is missing",
    told: 'Your last answer reached its limit of output tokens, so its end is missing, and no call of it ran. Give the whole answer again, shorter or in smaller steps.',
  },
  content_filter: {
    detail: "the provider's content filter withheld the answer or a part of it",
    told: "The provider's content filter withheld your last answer or a part of it, and no call of it ran. Answer again in another way.",
  },
  empty_answer: {
    detail: 'the model gave an empty answer twice, so nothing says that the work is done',
    told: 'Your last answer was empty: it had neither text nor a call. Go on with the task. If it is done, say what was done.',
  },
}

/** What the model is told when it is asked again. */
export function askedAgainText(unfinished: Unfinished): string {
  return isDiscarded(unfinished) ? WORDS[unfinished].told : 'Go on with your answer where it pauses.'
}

/** The result of a call of such an answer, for the model. */
export function notRunText(discarded: Discarded): string {
  return `${WORDS[discarded].detail}; no call of this answer ran.`
}

export function isDiscarded(unfinished: Unfinished | null): unfinished is Discarded {
  return unfinished !== null && unfinished !== 'pause_turn'
}

/** The end of a run whose model asks for nothing more: `natural_end` only if its answer is whole. */
export function endOfAnswer(answer: {
  readonly unfinished: Unfinished | null
  readonly finish_reason: string
}): Termination {
  // Older journals say it by the finish reason alone.
  const unfinished = answer.unfinished ?? meaningOf(answer.finish_reason)
  if (unfinished === null || unfinished === 'done' || unfinished === 'pause_turn') return { type: 'natural_end' }
  return { type: 'stopped', code: unfinished, detail: WORDS[unfinished].detail }
}

/** True if the run ended with an answer that is not whole, which leaves no work that could go on by itself. */
export function endsUnfinished(termination: Termination | null): boolean {
  return termination?.type === 'stopped' && Object.hasOwn(WORDS, termination.code)
}
