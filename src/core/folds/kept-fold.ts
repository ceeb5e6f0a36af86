/** A fold that is kept beside its journal, so that a long one need not be read anew. The journal alone is the truth. */

import type { JournalEvent } from '../journal/event.ts'
import { apply } from '../journal/fold.ts'
import type { Message } from '../journal/message.ts'
import type { Thread } from '../journal/thread.ts'
import { newestPlan, PLAN_TOOL, type Plan, planIn } from '../plan/plan.ts'
import { foldedTo } from '../run/context/compaction.ts'

/** Raised with every change of what `fold` gives: a fold of another version is not taken. */
export const FOLD_VERSION = 2

/** Events after which a fold is kept anew: while a run goes on, and when it lets go. A shorter journal is read as fast. */
export const KEEP_FOLD_AFTER: KeepFoldAfter = { working: 1_000, resting: 200 }

export interface KeepFoldAfter {
  readonly working: number
  readonly resting: number
}

/** A thread as it was kept, and the time of its newest event. */
export interface KeptFold {
  readonly thread: Thread
  readonly at: string
}

/**
 * The thread without the contents of the messages that are folded into a summary: no request has them. What people said
 * stays, and so does the newest plan.
 */
export function lightFold(thread: Thread): Thread {
  const left_out = foldedTo(thread.context.compactions)
  const plan = newestPlan(thread.messages)
  const messages = thread.messages.map((message, place) => (place < left_out ? bare(message, plan) : message))
  return { ...thread, messages, left_out }
}

function bare(message: Message, plan: Plan | null): Message {
  if (message.role === 'tool') {
    const { tool_call_id, tool_name, is_error } = message
    return { role: 'tool', tool_call_id, tool_name, content: null, is_error }
  }
  if (message.role !== 'assistant') return message
  const tool_calls = message.tool_calls.map(({ id, name, arguments: args }) => {
    const isPlan = plan !== null && name === PLAN_TOOL && planIn(args) === plan
    return { id, name, arguments: isPlan ? args : {}, metadata: null }
  })
  return { role: 'assistant', content: '', tool_calls }
}

/** `tail`: the newest event of the kept fold, and those behind it. `null` if the journal is another one, or has a fault. */
export function goOn({ thread, at }: KeptFold, tail: readonly JournalEvent[]): Thread | null {
  const [last, ...news] = tail
  if (last?.seq !== thread.seq || last.at !== at) return null
  try {
    thread.kept_to = thread.seq
    for (const event of news) apply(thread, event)
    return thread
  } catch {
    // The whole journal tells of the fault.
    return null
  }
}
