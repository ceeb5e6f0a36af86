import type { AgentStatus } from '../../../src/core/fleet/agent-status.ts'
import type { Hold } from '../api/documents.ts'

/** How a message is treated while a hold is open, or an agent works. */
export type Way = 'answer' | 'queue' | 'supersede' | 'steer' | 'interrupt' | 'reject'

interface WayRow {
  readonly name: string
  /** The effect, in words. */
  readonly means: string
}

export const WAYS: Readonly<Record<Way, WayRow>> = {
  answer: { name: 'Answer', means: 'It answers the question.' },
  queue: { name: 'Queue', means: 'The agent reads it as soon as it goes on.' },
  supersede: { name: 'Steer', means: 'What waits is withdrawn, and the agent reads this instead.' },
  steer: { name: 'Steer', means: 'What waits is withdrawn, and the agent reads this instead.' },
  interrupt: { name: 'Interrupt', means: 'What runs is stopped, and the agent reads this instead.' },
  reject: { name: 'Refuse', means: 'It is not sent as long as something waits.' },
}

/** The ways that make sense for what is open, the usual one first. Empty if a message is simply taken. */
export function waysFor(open: readonly Hold[], to: Recipient): readonly Way[] {
  const isAskedForMore = open.some(({ kind }) => kind === 'input')
  if (isAskedForMore) return []
  if (open.length === 0) return to.kind === 'agent' && to.status === 'running' ? ['queue', 'interrupt'] : []
  const others: readonly Way[] = to.kind === 'agent' ? ['queue', 'steer'] : ['queue', 'supersede', 'reject']
  return questionIn(open) ? ['answer', ...others] : others
}

/** The question that an answer is for; `null` if it is not clear which. */
export function questionIn(open: readonly Hold[]): Hold | null {
  const questions = open.filter(({ kind }) => kind === 'question')
  return questions.length === 1 ? (questions[0] ?? null) : null
}

/**
 * The recipient of a message. A background agent takes it in any status: an agent that is parked or done resumes with
 * it.
 */
export type Recipient =
  | { readonly kind: 'thread'; readonly threadId: string }
  | { readonly kind: 'agent'; readonly threadId: string; readonly id: string; readonly status: AgentStatus }
