import type { Hold } from '../api/documents.ts'

/** What becomes of a message while something waits. */
export type Way = 'answer' | 'queue' | 'supersede' | 'reject'

interface WayRow {
  readonly name: string
  /** What it does. */
  readonly means: string
}

export const WAYS: Readonly<Record<Way, WayRow>> = {
  answer: { name: 'Answer', means: 'It answers the question.' },
  queue: { name: 'Queue', means: 'The agent reads it when what waits is decided.' },
  supersede: { name: 'Interrupt', means: 'What waits is withdrawn, and the agent reads this instead.' },
  reject: { name: 'Refuse', means: 'It is not sent as long as something waits.' },
}

/** The ways that make sense for what is open, the usual one first. Empty if a message is simply taken. */
export function waysFor(open: readonly Hold[]): readonly Way[] {
  const isAskedForMore = open.some(({ kind }) => kind === 'input')
  if (open.length === 0 || isAskedForMore) return []
  return questionIn(open) ? ['answer', 'queue', 'supersede', 'reject'] : ['queue', 'supersede', 'reject']
}

/** The question that an answer is for; `null` if it is not clear which. */
export function questionIn(open: readonly Hold[]): Hold | null {
  const questions = open.filter(({ kind }) => kind === 'question')
  return questions.length === 1 ? (questions[0] ?? null) : null
}
