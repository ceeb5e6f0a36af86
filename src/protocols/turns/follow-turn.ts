import type { JournalEvent } from '../../core/journal/event.ts'
import type { Ephemeral } from '../../ports/event-sink.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import { type Conversation, isAtRest, takeIn } from './conversation.ts'

interface Following {
  /** No rest before this event counts: the conversation was read before something was said in it. */
  readonly seq: number
  /** The event that it says is the last is the last as well. */
  readonly over?: () => boolean
  readonly signal: AbortSignal
}

/**
 * Each event and piece from where the conversation stands, after it was taken in, up to the rest of its run. An abort ends
 * it without a word.
 */
export async function* followUntilRest(
  holdpoint: Pick<Holdpoint, 'follow'>,
  conversation: Conversation,
  { seq, over = () => false, signal }: Following,
): AsyncGenerator<JournalEvent | Ephemeral, void, undefined> {
  const { thread } = conversation
  const isLast = () => thread.seq >= seq && (isAtRest(conversation) || over())
  if (isLast()) return
  for await (const event of holdpoint.follow(thread.id, { since: thread.seq, signal })) {
    if (!('ephemeral' in event)) takeIn(conversation, event)
    yield event
    if (isLast()) return
  }
}
