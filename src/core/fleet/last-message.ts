import { shortLine } from '../hold-view/hold-row.ts'
import type { JournalEvent } from '../journal/event.ts'
import { contentText } from '../message/part-words.ts'

/** The newest message of a session, for a list. */
export interface LastMessage {
  /** True for a message of the agent, false for one of a person or a program. */
  readonly is_of_agent: boolean
  /** `null` if the author is unknown. */
  readonly author: string | null
  /** In one visible line, cut if `is_cut`. */
  readonly line: string
  readonly is_cut: boolean
  /** ISO time. */
  readonly at: string
}

type Said = Pick<LastMessage, 'is_of_agent' | 'author'> & { readonly text: string }

/**
 * The newest message among these events, which are oldest first; `null` if there is none. `agent` is the name of the
 * definition.
 */
export function lastMessage(events: readonly JournalEvent[], agent: string | null): LastMessage | null {
  for (const event of events.toReversed()) {
    const message = saidIn(event, agent)
    if (message === null || message.text.trim() === '') continue
    const { text, ...author } = message
    return { ...author, ...shortLine(text), at: event.at }
  }
  return null
}

function saidIn(event: JournalEvent, agent: string | null): Said | null {
  switch (event.kind) {
    case 'message.received':
    case 'message.queued':
      return { is_of_agent: false, author: event.data.author, text: contentText(event.data.content) }
    case 'model.answered':
      return { is_of_agent: true, author: agent, text: event.data.text }
    case 'hold.decided': {
      const { verdict, value, decided_by } = event.data.decision
      return verdict === 'respond' && typeof value === 'string'
        ? { is_of_agent: false, author: decided_by, text: value }
        : null
    }
    default:
      return null
  }
}
