import { shortLine } from '../hold-view/hold-row.ts'
import type { JournalEvent } from '../journal/event.ts'
import { contentText } from '../message/part-words.ts'

/** The newest thing that was said in a session, for a list. */
export interface LastMessage {
  /** True if the agent said it, false if a person or a program did. */
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

/** Among these events, the oldest first; `null` if nothing was said in them. `agent` is the name of the definition. */
export function lastMessage(events: readonly JournalEvent[], agent: string | null): LastMessage | null {
  for (const event of events.toReversed()) {
    const said = saidIn(event, agent)
    if (said === null || said.text.trim() === '') continue
    const { text, ...author } = said
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
